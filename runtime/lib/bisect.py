"""Binary search in sorted lists."""


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    if key is None:
        while lo < hi:
            middle = (lo + hi) // 2
            if x < a[middle]:
                hi = middle
            else:
                lo = middle + 1
    else:
        while lo < hi:
            middle = (lo + hi) // 2
            if x < key(a[middle]):
                hi = middle
            else:
                lo = middle + 1
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    if key is None:
        while lo < hi:
            middle = (lo + hi) // 2
            if a[middle] < x:
                lo = middle + 1
            else:
                hi = middle
    else:
        while lo < hi:
            middle = (lo + hi) // 2
            if key(a[middle]) < x:
                lo = middle + 1
            else:
                hi = middle
    return lo


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


bisect = bisect_right
insort = insort_right
