import COpenSSL

/// The content of a new certificate.
public struct CertificateTemplate: Sendable {
  /// The subject's fields in order: short name of the attribute (`CN`, `O`) and value.
  public var subject: [(attribute: String, value: String)]
  /// The extensions in order: the library's number and the text form of the value.
  var extensions: [(identifier: Int32, value: String)]
  /// Seconds from now to the start of validity; negative to allow for clocks that are behind.
  public var validFrom: Int
  /// Whole days of validity after that.
  public var days: Int32
  /// The serial number; nil for a random one.
  public var serialNumber: Int?

  /// Validity of a relay's certificates: they are pinned, so they need not expire.
  public static let relayValidityDays: Int32 = 999_999

  /// The offline certificate of a relay, which signs its online ones and whose fingerprint is the relay's identity.
  public static func authority(commonName: String = "SMP server CA") -> CertificateTemplate {
    CertificateTemplate(
      subject: [("CN", commonName), ("O", "SimpleX")],
      extensions: [
        (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
        (NID_basic_constraints, "critical,CA:true"),
      ],
      validFrom: 0, days: relayValidityDays)
  }

  /// The online certificate of a relay, which it presents in TLS; `commonName` is its address.
  public static func server(commonName: String) -> CertificateTemplate {
    CertificateTemplate(
      subject: [("CN", commonName)],
      extensions: [
        (NID_basic_constraints, "CA:FALSE"), (NID_key_usage, "digitalSignature, nonRepudiation, keyAgreement"),
        (NID_ext_key_usage, "serverAuth"),
      ],
      validFrom: 0, days: relayValidityDays)
  }

  /// A certificate with a name and no extensions: for services, and for the sessions of remote control.
  public static func plain(commonName: String, validFrom: Int = 0, days: Int32) -> CertificateTemplate {
    CertificateTemplate(subject: [("CN", commonName)], extensions: [], validFrom: validFrom, days: days)
  }
}

extension Certificate {
  /// Issues a certificate for `key`, self-signed without an issuer.
  public static func issue(
    _ template: CertificateTemplate, for key: CertificateKey,
    by issuer: (certificate: Certificate, key: CertificateKey)? = nil
  ) throws(CertificateError) -> Certificate {
    guard let certificate = X509_new() else { throw .library(takeOpenSSLError()) }
    defer { X509_free(certificate) }
    let built =
      if let issuer {
        try withX509(issuer.certificate.der) {
          build(certificate, template: template, key: key, issuer: $0, signingKey: issuer.key)
        }
      } else {
        build(certificate, template: template, key: key, issuer: certificate, signingKey: key)
      }
    guard built else { throw .library(takeOpenSSLError()) }
    return Certificate(object: certificate)
  }
}

private func build(
  _ certificate: OpaquePointer, template: CertificateTemplate, key: CertificateKey,
  issuer: OpaquePointer, signingKey: CertificateKey
) -> Bool {
  X509_set_version(certificate, 2) == 1
    && setSerialNumber(certificate, template.serialNumber)
    && setSubject(certificate, template)
    && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1
    && X509_time_adj_ex(X509_getm_notBefore(certificate), 0, template.validFrom, nil) != nil
    && X509_time_adj_ex(X509_getm_notAfter(certificate), template.days, template.validFrom, nil) != nil
    && X509_set_pubkey(certificate, key.pointer) == 1
    && addExtensions(certificate, issuer: issuer, template: template)
    // Ed448 and Ed25519 include the hash, hence no digest.
    && X509_sign(certificate, signingKey.pointer, nil) > 0
}

/// Without a number: a positive random one of 159 bits, 20 octets being the most that RFC 5280 allows.
private func setSerialNumber(_ certificate: OpaquePointer, _ serialNumber: Int?) -> Bool {
  if let serialNumber { return ASN1_INTEGER_set(X509_get_serialNumber(certificate), serialNumber) == 1 }
  guard let number = BN_new() else { return false }
  defer { BN_free(number) }
  return BN_rand(number, 159, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
    && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
}

private func setSubject(_ certificate: OpaquePointer, _ template: CertificateTemplate) -> Bool {
  guard let name = X509_get_subject_name(certificate) else { return false }
  return template.subject.allSatisfy { attribute, value in
    let bytes = Array(value.utf8)
    return X509_NAME_add_entry_by_txt(
      name, attribute, V_ASN1_UTF8STRING, bytes, Int32(clamping: bytes.count), -1, 0) == 1
  }
}

private func addExtensions(
  _ certificate: OpaquePointer, issuer: OpaquePointer, template: CertificateTemplate
) -> Bool {
  var context = X509V3_CTX()
  X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
  return template.extensions.allSatisfy { identifier, value in
    guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
    defer { X509_EXTENSION_free(made) }
    return X509_add_ext(certificate, made, -1) == 1
  }
}
