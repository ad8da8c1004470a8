import ArgumentParser
import FileAccess
import ProgramSupport
import RelayChassis

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The main command of a relay's program, such as `smp-server`. The subcommands that all relays have are generic over
/// it.
public protocol RelayMain: AsyncParsableCommand {
  /// What its ini file says.
  associatedtype Settings: RelaySettings

  /// The name of the program.
  static var program: String { get }
  /// The folders from the environment, or the default ones.
  static var folders: Settings.Folders { get }
  /// The options, without their value, that scripts for the reference server give, and the value that they mean; nil to
  /// ignore the option.
  static var optionsWithoutValue: [String: String?] { get }
}

extension RelayMain {
  /// None.
  public static var optionsWithoutValue: [String: String?] { [:] }

  /// Runs the program with its arguments.
  public static func runProgram() async {
    // Files of the server are accessible to its user only.
    umask(0o077)
    // Before any key is read.
    if !CommandLine.arguments.contains(coreDumpsOption) { CoreDumps.forbid() }
    await main(adapted(Array(CommandLine.arguments.dropFirst())))
  }

  /// The option of `start` with which the process may be dumped.
  static var coreDumpsOption: String { "--core-dumps" }

  /// The arguments in the form that the parser knows: with the value of each of ``optionsWithoutValue``, `-v` as
  /// `--version`, and without the options of the reference's runtime (`+RTS … -RTS`).
  static func adapted(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var adapted: [String] = []
    while let argument = rest.popFirst() {
      if argument == "+RTS" {
        rest = rest.drop { $0 != "-RTS" }.dropFirst()
      } else if let value = optionsWithoutValue[argument], rest.first?.hasPrefix("-") ?? true {
        if let value { adapted += [argument, value] }
      } else {
        adapted.append(argument == "-v" && adapted.isEmpty ? "--version" : argument)
      }
    }
    return adapted
  }

  /// The settings of an initialized relay.
  public static func settings() throws(CommandFailure) -> Settings {
    let folders = folders
    let text: String?
    do { text = try WholeFile.text(folders.iniFile) } catch { throw fail("\(error)") }
    guard let text else { throw fail("the server is not initialized; run: \(program) init") }
    do throws(RelayError) { return try Settings(ServerINI(text), folders) } catch {
      if case .configuration(let problem) = error { throw fail("\(folders.iniFile): \(problem)") }
      throw fail("\(error)")
    }
  }

  /// The error of a command.
  public static func fail(_ text: String) -> CommandFailure { CommandFailure(description: text) }
}
