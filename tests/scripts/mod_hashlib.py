"""hashlib: digests of texts of many lengths, in one and in several pieces."""
import hashlib

text = bytes(range(256)) * 2
for name in ("md5", "sha1", "sha256", "sha512"):
    print(name, hashlib.new(name).hexdigest())
    for n in (1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 300):
        whole = getattr(hashlib, name)(text[:n])
        pieces = hashlib.new(name)
        for at in range(0, n, 7):
            pieces.update(text[at:min(at + 7, n)])
        fork = pieces.copy()
        fork.update(b"x")
        print(n, whole.hexdigest() == pieces.hexdigest() != fork.hexdigest(), whole.hexdigest()[:16])
    h = getattr(hashlib, name)(b"abc")
    print(h.name, h.digest_size, h.block_size, h.hexdigest(), len(h.digest()))
for bad in (lambda: hashlib.new("nothing"), lambda: hashlib.md5("text")):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
