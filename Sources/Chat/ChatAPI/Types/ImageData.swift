/// Images are `data:` URIs; text that is not one reads as no image, so that it is never taken for an address.
func imageData(_ text: String) -> String { text.hasPrefix("data:") ? text : "" }

/// The same for an optional image.
func imageData(_ text: String?) -> String? { text.map { imageData($0) } }
