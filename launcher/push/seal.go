package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	// room is how long each text is made, so that all messages have one size.
	room     = 256
	saltSize = 16
	// recordSize is the length that the header names: there is one record, and it is shorter.
	recordSize = 4096
)

// seal encrypts a text to a browser (RFC 8291): in one record of RFC 8188, padded to room bytes.
// The key of the sender and the salt are for this message alone.
func seal(s Subscription, text string, room int, sender *ecdh.PrivateKey,
	salt []byte) ([]byte, error) {
	if len(text) > room {
		return nil, fmt.Errorf("the text has %d bytes; at most %d", len(text), room)
	}
	theirs, err := ecdh.P256().NewPublicKey(s.Key)
	if err != nil {
		return nil, err
	}
	shared, err := sender.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	ours := sender.PublicKey().Bytes()
	key, nonce, err := keysOf(shared, s.Secret, salt, s.Key, ours)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	record := make([]byte, room+1)
	copy(record, text)
	record[len(text)] = 2 // the last record; what follows is padding
	message := binary.BigEndian.AppendUint32(append([]byte(nil), salt...), recordSize)
	message = append(append(message, byte(len(ours))), ours...)
	return gcm.Seal(message, nonce, record, nil), nil
}

// keysOf derives key and nonce of a record (RFC 8291 §3.4).
func keysOf(shared, secret, salt, theirs, ours []byte) (key, nonce []byte, err error) {
	info := "WebPush: info\x00" + string(theirs) + string(ours)
	input, err := hkdf.Key(sha256.New, shared, secret, info, 32)
	if err != nil {
		return nil, nil, err
	}
	key, err = hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	nonce, err = hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	return key, nonce, err
}
