#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The target named by the environment variable `FUZZ_TARGET`; the name `list` prints all names and exits.
private let chosen: FuzzTarget = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? "list"
  if let target = FuzzTargets.all.first(where: { $0.name == name }) { return target }
  for target in FuzzTargets.all { print(target.name) }
  // Not exit(): libFuzzer reports it as a finding.
  fflush(nil)
  _exit(name == "list" ? 0 : 2)
}()

/// Called by libFuzzer with every input (scripts/fuzz links it in).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen.run([UInt8](UnsafeBufferPointer(start: start, count: count)))
  return 0
}
