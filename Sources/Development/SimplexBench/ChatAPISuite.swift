import ChatAPI
import Foundation
import SimplexJSON

/// Encoding and decoding of large responses, compared with Foundation's coders on the same JSON.
func chatAPISuite(_ bench: Bench) throws {
  try measure(in: bench, named: "apiChats of 1,000 chats", response: try ChatAPISamples.chats(1000))
  try measure(in: bench, named: "apiChat of 100 items", response: try ChatAPISamples.chat(100))
}

private func measure(in bench: Bench, named name: String, response: ChatResponse0) throws {
  let result = APIResult<ChatResponse0>.result(response)
  let bytes = result.jsonBytes()
  let data = Data(bytes)
  let megabytes = Double(bytes.count) / 1e6
  bench.record("\(name), size", megabytes, unit: "MB")

  let decoder = JSONDecoder.withDates()
  let encoder = JSONEncoder.withDates()
  let mirror = try decoder.decode(MirrorResult.self, from: data)
  let (encoding, foundationEncoding) = try bench.rates(
    { blackHole(result.jsonBytes().count) }, { blackHole(try encoder.encode(mirror).count) })
  let (decoding, foundationDecoding) = try bench.rates(
    { blackHole(decode(bytes)) }, { blackHole(try decoder.decode(MirrorResult.self, from: data)) })
  bench.record("\(name), encode", encoding * megabytes, unit: "MB/s")
  bench.record("\(name), decode", decoding * megabytes, unit: "MB/s")
  bench.record("\(name), encode against JSONEncoder", encoding / foundationEncoding, unit: "×", goal: 8)
  bench.record("\(name), decode against JSONDecoder", decoding / foundationDecoding, unit: "×", goal: 8)
}

private func decode(_ bytes: [UInt8]) -> APIResult<ChatResponse0> { decodeAPIResult(bytes) }
