# exit: 1
# stderr
# A module with a syntax error, imported by import_local.py.
x = (1
y = 2
