import ChatAPI
import Foundation
import SimplexJSON

/// Encoding and decoding of large responses, beside Foundation's coders on the same JSON.
func chatAPISuite(_ bench: Bench) throws {
  try measure(bench, "apiChats of 1,000 chats", try ChatAPISamples.chats(1000))
  try measure(bench, "apiChat of 100 items", try ChatAPISamples.chat(100))
}

private func measure(_ bench: Bench, _ name: String, _ response: ChatResponse0) throws {
  let result = APIResult<ChatResponse0>.result(response)
  let bytes = result.jsonBytes()
  let data = Data(bytes)
  let megabytes = Double(bytes.count) / 1e6
  bench.record("\(name), size", megabytes, "MB")

  let decoder = JSONDecoder.withDates()
  let encoder = JSONEncoder.withDates()
  let mirror = try decoder.decode(MirrorResult.self, from: data)
  let (encoding, foundationEncoding) = try bench.rates(
    { blackHole(result.jsonBytes().count) }, { blackHole(try encoder.encode(mirror).count) })
  let (decoding, foundationDecoding) = try bench.rates(
    { blackHole(decode(bytes)) }, { blackHole(try decoder.decode(MirrorResult.self, from: data)) })
  bench.record("\(name), encode", encoding * megabytes, "MB/s")
  bench.record("\(name), decode", decoding * megabytes, "MB/s")
  bench.record("\(name), encode against JSONEncoder", encoding / foundationEncoding, "×", goal: 8)
  bench.record("\(name), decode against JSONDecoder", decoding / foundationDecoding, "×", goal: 8)
}

private func decode(_ bytes: [UInt8]) -> APIResult<ChatResponse0> { decodeAPIResult(bytes) }
