// The names that the runtime itself uses, interned once per Runtime: `cx.rt.names.append`.
//
// X(field, "text").  Add what you need; the order does not matter.
#ifndef TIDEPOOL_RUNTIME_VM_NAMES_H_
#define TIDEPOOL_RUNTIME_VM_NAMES_H_

#define TIDEPOOL_NAMES(X)                       \
  X(empty, "")                                  \
  X(builtins, "builtins")                       \
  X(main, "__main__")                           \
  X(module, "__module__")                       \
  X(name, "__name__")                           \
  X(qualname, "__qualname__")                   \
  X(doc, "__doc__")                             \
  X(dict, "__dict__")                           \
  X(class_, "__class__")                        \
  X(classcell, "__classcell__")                 \
  X(bases, "__bases__")                         \
  X(mro, "__mro__")                             \
  X(slots, "__slots__")                         \
  X(weakref, "__weakref__")                     \
  X(file, "__file__")                           \
  X(annotations, "__annotations__")             \
  X(dunder_builtins, "__builtins__")            \
  X(new_, "__new__")                            \
  X(init, "__init__")                           \
  X(del, "__del__")                             \
  X(repr, "__repr__")                           \
  X(str, "__str__")                             \
  X(format, "__format__")                       \
  X(bytes, "__bytes__")                         \
  X(hash, "__hash__")                           \
  X(call, "__call__")                           \
  X(getattr, "__getattr__")                     \
  X(getattribute, "__getattribute__")           \
  X(setattr, "__setattr__")                     \
  X(delattr, "__delattr__")                     \
  X(get, "__get__")                             \
  X(set, "__set__")                             \
  X(delete_, "__delete__")                      \
  X(set_name, "__set_name__")                   \
  X(init_subclass, "__init_subclass__")         \
  X(iter, "__iter__")                           \
  X(next, "__next__")                           \
  X(len, "__len__")                             \
  X(length_hint, "__length_hint__")             \
  X(getitem, "__getitem__")                     \
  X(setitem, "__setitem__")                     \
  X(delitem, "__delitem__")                     \
  X(contains, "__contains__")                   \
  X(missing, "__missing__")                     \
  X(reversed, "__reversed__")                   \
  X(bool_, "__bool__")                          \
  X(index, "__index__")                         \
  X(int_, "__int__")                            \
  X(float_, "__float__")                        \
  X(abs, "__abs__")                             \
  X(round, "__round__")                         \
  X(trunc, "__trunc__")                         \
  X(floor, "__floor__")                         \
  X(ceil, "__ceil__")                           \
  X(divmod, "__divmod__")                       \
  X(rdivmod, "__rdivmod__")                     \
  X(add, "__add__") X(radd, "__radd__") X(iadd, "__iadd__") \
  X(sub, "__sub__") X(rsub, "__rsub__") X(isub, "__isub__") \
  X(mul, "__mul__") X(rmul, "__rmul__") X(imul, "__imul__") \
  X(matmul, "__matmul__") X(rmatmul, "__rmatmul__") X(imatmul, "__imatmul__") \
  X(truediv, "__truediv__") X(rtruediv, "__rtruediv__") X(itruediv, "__itruediv__") \
  X(floordiv, "__floordiv__") X(rfloordiv, "__rfloordiv__") X(ifloordiv, "__ifloordiv__") \
  X(mod, "__mod__") X(rmod, "__rmod__") X(imod, "__imod__") \
  X(pow, "__pow__") X(rpow, "__rpow__") X(ipow, "__ipow__") \
  X(lshift, "__lshift__") X(rlshift, "__rlshift__") X(ilshift, "__ilshift__") \
  X(rshift, "__rshift__") X(rrshift, "__rrshift__") X(irshift, "__irshift__") \
  X(and_, "__and__") X(rand, "__rand__") X(iand, "__iand__") \
  X(or_, "__or__") X(ror, "__ror__") X(ior, "__ior__") \
  X(xor_, "__xor__") X(rxor, "__rxor__") X(ixor, "__ixor__") \
  X(neg, "__neg__") \
  X(pos, "__pos__") \
  X(invert, "__invert__") \
  X(lt, "__lt__")                               \
  X(le, "__le__")                               \
  X(eq, "__eq__")                               \
  X(ne, "__ne__")                               \
  X(gt, "__gt__")                               \
  X(ge, "__ge__")                               \
  X(enter, "__enter__")                         \
  X(exit, "__exit__")                           \
  X(await, "__await__")                         \
  X(aiter, "__aiter__")                         \
  X(anext, "__anext__")                         \
  X(aenter, "__aenter__")                       \
  X(aexit, "__aexit__")                         \
  X(instancecheck, "__instancecheck__")         \
  X(subclasscheck, "__subclasscheck__")         \
  X(class_getitem, "__class_getitem__")         \
  X(prepare, "__prepare__")                     \
  X(metaclass, "metaclass")                     \
  X(mro_entries, "__mro_entries__")             \
  X(orig_bases, "__orig_bases__")               \
  X(abstractmethods, "__abstractmethods__")     \
  X(dir, "__dir__")                             \
  X(reduce, "__reduce__")                       \
  X(reduce_ex, "__reduce_ex__")                 \
  X(copy, "__copy__")                           \
  X(deepcopy, "__deepcopy__")                   \
  X(cause, "__cause__")                         \
  X(context, "__context__")                     \
  X(traceback, "__traceback__")                 \
  X(suppress_context, "__suppress_context__")   \
  X(send, "send")                               \
  X(throw_, "throw")                            \
  X(close, "close")                             \
  X(write, "write")                             \
  X(flush, "flush")                             \
  X(read, "read")                               \
  X(readline, "readline")                       \
  X(append, "append")                           \
  X(keys, "keys")                               \
  X(values, "values")                           \
  X(items, "items")                             \
  X(update, "update")                           \
  X(stdout_, "stdout")                          \
  X(stderr_, "stderr")                          \
  X(stdin_, "stdin")                            \
  X(sep, "sep")                                 \
  X(end, "end")                                 \
  X(fileno, "fileno")                           \
  X(self, "self")                               \
  X(return_, "return")                          \
  X(object_, "object")

#endif  // TIDEPOOL_RUNTIME_VM_NAMES_H_
