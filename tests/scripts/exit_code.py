# exit: 3
# stderr
# SystemExit: finally blocks run, the status is passed on.
import sys
try:
    try:
        sys.exit(3)
    finally:
        print("cleanup")
except ValueError:
    print("no")
