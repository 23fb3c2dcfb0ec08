"""Features that are on anyway."""

annotations = None
division = None
print_function = None
generator_stop = None
