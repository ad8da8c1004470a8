/// Argument forms of scripts and units written for the reference server that the parser does not know.
enum ReferenceArguments {
  /// Options whose value may be missing, and its default; nil to ignore the option.
  private static let bare: [String: String?] = [
    "--control-port": "5224", "--socks-proxy": "localhost:9050", "--source-code": nil,
  ]

  /// The arguments with the default value after each option that has none, `-v` as `--version`, and without the options
  /// of the other server's runtime (`+RTS … -RTS`).
  static func adapted(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var adapted: [String] = []
    while let argument = rest.popFirst() {
      if argument == "+RTS" {
        rest = rest.drop { $0 != "-RTS" }.dropFirst()
      } else if let value = bare[argument], rest.first?.hasPrefix("-") ?? true {
        if let value { adapted += [argument, value] }
      } else {
        adapted.append(argument == "-v" && adapted.isEmpty ? "--version" : argument)
      }
    }
    return adapted
  }
}
