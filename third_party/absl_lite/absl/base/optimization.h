// Hints to the compiler.
#ifndef ABSL_BASE_OPTIMIZATION_H_
#define ABSL_BASE_OPTIMIZATION_H_

#define ABSL_PREDICT_TRUE(x) (__builtin_expect(false || (x), true))
#define ABSL_PREDICT_FALSE(x) (__builtin_expect(false || (x), false))
#define ABSL_CACHELINE_SIZE 64
#define ABSL_CACHELINE_ALIGNED __attribute__((aligned(64)))

#endif  // ABSL_BASE_OPTIMIZATION_H_
