/// Images are `data:` URIs; text that is not one reads as no image, so that it is never taken for an address.
func imageData(_ text: String) -> String { text.hasPrefix("data:") ? text : "" }

/// As above; absent images stay absent.
func imageData(_ text: String?) -> String? { text.map { imageData($0) } }
