# exit: 1
# stderr
# SystemExit with a text: on standard error, status 1.
print("out")
raise SystemExit("leaving: reason")
