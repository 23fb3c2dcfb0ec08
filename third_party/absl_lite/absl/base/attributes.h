// The function attributes that gcc and clang share.
#ifndef ABSL_BASE_ATTRIBUTES_H_
#define ABSL_BASE_ATTRIBUTES_H_

#define ABSL_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define ABSL_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define ABSL_ATTRIBUTE_COLD __attribute__((cold))
#define ABSL_ATTRIBUTE_WEAK __attribute__((weak))
#define ABSL_ATTRIBUTE_UNUSED __attribute__((unused))
#define ABSL_PRINTF_ATTRIBUTE(text, first) \
  __attribute__((format(printf, text, first)))

#endif  // ABSL_BASE_ATTRIBUTES_H_
