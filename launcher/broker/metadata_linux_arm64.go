package broker

// legacyMetadata is empty: this architecture began after the calls of old were replaced.
var legacyMetadata []metadataCall
