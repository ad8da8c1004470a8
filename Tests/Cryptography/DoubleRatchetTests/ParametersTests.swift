import SNTRUP761
import SimplexCrypto
import SimplexTesting
import Testing
import WireCodec

@testable import DoubleRatchet

@Suite struct ParametersTests {
  @Test(arguments: try Vectors.load("e2e-params.json").elements("e2eParamsUri"))
  func forms(_ vector: Golden) throws {
    let offer = try offer(vector.member("params"))
    #expect(try E2EOffer.textCodec.text(offer) == vector.string("str"))
    #expect(try E2EOffer.textCodec.decode(text: vector.string("str")) == self.offer(vector.member("strDecodesTo")))
    #expect(try E2EOffer.codec.encode(offer) == vector.hex("smpUri"))
    #expect(try E2EOffer.codec.decode(vector.hex("smpUri")) == offer)

    let version = offer.versions.highest
    let parameters = E2EParameters(version: version, key1: offer.key1, key2: offer.key2, kem: offer.kem)
    let encoded = try vector.hex("smpParamsAtMaxVersion")
    #expect(try E2EParameters.codec.encode(parameters) == encoded)
    #expect(try E2EParameters.codec.encode(E2EParameters.codec.decode(encoded)) == encoded)
  }

  private func offer(_ params: Golden) throws -> E2EOffer {
    let range = try params.elements("versionRange").map { UInt16(try $0.int()) }
    return E2EOffer(
      versions: try #require(VersionRange(range[0], range[1])),
      key1: try X448.PublicKey(rawBytes: params.hex("key1")), key2: try X448.PublicKey(rawBytes: params.hex("key2")),
      kem: try params["kem"].map(kem))
  }

  private func kem(_ kem: Golden) throws -> KEMParameters {
    let key = try KEMPublicKey(rawBytes: base64(kem.member("kemPublicKey")))
    try #require(try kem.string("type") == "proposed")
    return .proposed(key)
  }
}
