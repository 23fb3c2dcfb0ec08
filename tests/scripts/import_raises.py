# exit: 1
# stderr
# A module that fails, imported by import_local.py.
raise ValueError("module body failed")
