print("no suites yet")
