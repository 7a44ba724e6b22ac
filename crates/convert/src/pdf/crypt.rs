//! Files that are encrypted with an empty user password, which anyone may open: many papers and data sheets are.

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256};
use md5::Md5;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::object::Dict;

/// What a password is filled up with (ISO 32000, 7.6.4.3.2), and so what an empty one is.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E, 0x2E, 0x00,
    0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cipher {
    None,
    Rc4,
    Aes128,
    Aes256,
}

pub(super) struct Crypt {
    key: Vec<u8>,
    strings: Cipher,
    streams: Cipher,
}

impl Crypt {
    /// Opens a file with the empty password. Nothing if it needs another one, or a handler that is not the standard's.
    pub(super) fn open(encrypt: &Dict, id: &[u8]) -> Option<Crypt> {
        if encrypt.get("Filter").name() != Some("Standard") {
            return None;
        }
        let version = encrypt.get("V").int()?;
        let revision = encrypt.get("R").int()?;
        let (strings, streams) = match version {
            1..=3 => (Cipher::Rc4, Cipher::Rc4),
            4 | 5 => (crypt_filter(encrypt, "StrF")?, crypt_filter(encrypt, "StmF")?),
            _ => return None,
        };
        let key = if version == 5 { key_of_v5(encrypt, revision)? } else { key_of_v4(encrypt, version, revision, id)? };
        Some(Crypt { key, strings, streams })
    }

    pub(super) fn string(&self, data: &[u8], id: (u32, u16)) -> Vec<u8> {
        self.decrypt(self.strings, data, id)
    }

    pub(super) fn stream(&self, data: &[u8], id: (u32, u16)) -> Vec<u8> {
        self.decrypt(self.streams, data, id)
    }

    fn decrypt(&self, cipher: Cipher, data: &[u8], (number, generation): (u32, u16)) -> Vec<u8> {
        let object_key = || {
            let mut hash = Md5::new();
            hash.update(&self.key);
            hash.update(&number.to_le_bytes()[..3]);
            hash.update(generation.to_le_bytes());
            if cipher == Cipher::Aes128 {
                hash.update(b"sAlT");
            }
            let mut key = hash.finalize().to_vec();
            key.truncate((self.key.len() + 5).min(16));
            key
        };
        match cipher {
            Cipher::None => data.to_vec(),
            Cipher::Rc4 => rc4(&object_key(), data),
            Cipher::Aes128 => cbc::<Aes128>(&object_key(), data).unwrap_or_default(),
            Cipher::Aes256 => cbc::<Aes256>(&self.key, data).unwrap_or_default(),
        }
    }
}

fn crypt_filter(encrypt: &Dict, key: &str) -> Option<Cipher> {
    let name = encrypt.get(key).name().unwrap_or("Identity");
    if name == "Identity" {
        return Some(Cipher::None);
    }
    match encrypt.get("CF").dict()?.get(name).dict()?.get("CFM").name()? {
        "None" => Some(Cipher::None),
        "V2" => Some(Cipher::Rc4),
        "AESV2" => Some(Cipher::Aes128),
        "AESV3" => Some(Cipher::Aes256),
        _ => None,
    }
}

fn key_of_v4(encrypt: &Dict, version: i64, revision: i64, id: &[u8]) -> Option<Vec<u8>> {
    let bits = if version == 4 { 128 } else { encrypt.get("Length").int().unwrap_or(40) };
    let length = if revision == 2 { 5 } else { (bits / 8).clamp(5, 16) as usize };
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(encrypt.get("O").bytes()?.get(..32)?);
    hash.update((encrypt.get("P").int()? as i32).to_le_bytes());
    hash.update(id);
    if revision >= 4 && *encrypt.get("EncryptMetadata") == super::object::Object::Bool(false) {
        hash.update([0xff; 4]);
    }
    let mut key = hash.finalize().to_vec();
    if revision >= 3 {
        for _ in 0..50 {
            key = Md5::digest(&key[..length]).to_vec();
        }
    }
    key.truncate(length);
    let user = encrypt.get("U").bytes()?;
    let right = if revision == 2 {
        rc4(&key, &PADDING) == user
    } else {
        let mut check = Md5::new_with_prefix(PADDING).chain_update(id).finalize().to_vec();
        for round in 0..20u8 {
            let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
            check = rc4(&key, &check);
        }
        user.get(..16) == Some(&check[..])
    };
    right.then_some(key)
}

fn key_of_v5(encrypt: &Dict, revision: i64) -> Option<Vec<u8>> {
    let user = encrypt.get("U").bytes()?.get(..48)?;
    let hash = |salt: &[u8]| if revision >= 6 { hash_of_r6(salt) } else { Sha256::digest(salt).to_vec() };
    if hash(&user[32..40]) != user[..32] {
        return None;
    }
    let mut key = encrypt.get("UE").bytes()?.get(..32)?.to_vec();
    cbc_blocks::<Aes256>(&hash(&user[40..48]), [0; 16], &mut key)?;
    Some(key)
}

/// Algorithm 2.B of ISO 32000-2 for an empty password.
fn hash_of_r6(salt: &[u8]) -> Vec<u8> {
    let mut key = Sha256::digest(salt).to_vec();
    for round in 0.. {
        let mut data = key.repeat(64);
        let Ok(cipher) = Aes128::new_from_slice(&key[..16]) else { break };
        let mut last: [u8; 16] = [0; 16];
        last.copy_from_slice(&key[16..32]);
        for block in data.chunks_exact_mut(16) {
            for (byte, mask) in block.iter_mut().zip(last) {
                *byte ^= mask;
            }
            let Ok(block) = <&mut Block<Aes128>>::try_from(block) else { break };
            cipher.encrypt_block(block);
            last.copy_from_slice(block);
        }
        let remainder = data[..16].iter().map(|&byte| u32::from(byte)).sum::<u32>() % 3;
        key = match remainder {
            0 => Sha256::digest(&data).to_vec(),
            1 => Sha384::digest(&data).to_vec(),
            _ => Sha512::digest(&data).to_vec(),
        };
        if round >= 63 && u32::from(data[data.len() - 1]) <= round - 31 {
            break;
        }
    }
    key.truncate(32);
    key
}

fn cbc<C: KeyInit + BlockCipherDecrypt>(key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let (start, data) = data.split_first_chunk::<16>()?;
    let mut data = data[..data.len() / 16 * 16].to_vec();
    cbc_blocks::<C>(key, *start, &mut data)?;
    let padding = usize::from(*data.last()?);
    if (1..=16).contains(&padding) {
        data.truncate(data.len().saturating_sub(padding));
    }
    Some(data)
}

fn cbc_blocks<C: KeyInit + BlockCipherDecrypt>(key: &[u8], start: [u8; 16], data: &mut [u8]) -> Option<()> {
    let cipher = C::new_from_slice(key).ok()?;
    let mut last = start;
    for block in data.chunks_exact_mut(16) {
        let mut coded = [0; 16];
        coded.copy_from_slice(block);
        cipher.decrypt_block(<&mut Block<C>>::try_from(&mut *block).ok()?);
        for (byte, mask) in block.iter_mut().zip(last) {
            *byte ^= mask;
        }
        last = coded;
    }
    Some(())
}

fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|n| n as u8);
    let mut j = 0u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0u8, 0u8);
    data.iter()
        .map(|byte| {
            i = i.wrapping_add(1);
            j = j.wrapping_add(state[usize::from(i)]);
            state.swap(usize::from(i), usize::from(j));
            byte ^ state[usize::from(state[usize::from(i)].wrapping_add(state[usize::from(j)]))]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_is_that_of_its_test_vectors() {
        assert_eq!(rc4(b"Key", b"Plaintext"), [0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3]);
    }
}
