# exit: 1
# stderr
print("must not print")
if True:
print("x")
