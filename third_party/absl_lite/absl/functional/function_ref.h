// A reference to something callable, for arguments: two words, no allocation. The
// callable outlives the call.
#ifndef ABSL_FUNCTIONAL_FUNCTION_REF_H_
#define ABSL_FUNCTIONAL_FUNCTION_REF_H_

#include <type_traits>
#include <utility>

namespace absl {
inline namespace tidepool_lite {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename Callable,
            typename = std::enable_if_t<
                !std::is_same_v<std::decay_t<Callable>, FunctionRef> &&
                std::is_invocable_r_v<Result, Callable&, Arguments...>>>
  FunctionRef(Callable&& callable)  // NOLINT: implicit, as abseil's
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {
    static_assert(!std::is_function_v<std::remove_reference_t<Callable>>,
                  "pass a function by pointer");
  }

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace tidepool_lite
}  // namespace absl

#endif  // ABSL_FUNCTIONAL_FUNCTION_REF_H_
