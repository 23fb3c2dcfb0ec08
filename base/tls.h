// How thread-local pointers are declared.
//
// `TIDEPOOL_TLS T* p;` is one word per thread, without constructor or
// destructor, read in one instruction (initial-exec). A library that is loaded
// with dlopen() late may not find room in the static TLS block: building with
// TIDEPOOL_DLOPEN picks the general model, which costs a call where the
// compiler cannot prove the module. Objects with destructors are never
// thread-local here: their order against other libraries' is not ours to
// choose.
#ifndef TIDEPOOL_BASE_TLS_H_
#define TIDEPOOL_BASE_TLS_H_

#ifdef TIDEPOOL_DLOPEN
#define TIDEPOOL_TLS __thread
#else
#define TIDEPOOL_TLS __thread __attribute__((tls_model("initial-exec")))
#endif

#endif  // TIDEPOOL_BASE_TLS_H_
