# exit: 1
# stderr
x = "unterminated
