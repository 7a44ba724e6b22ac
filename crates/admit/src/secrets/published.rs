//! Values that standards and manuals print as examples. Everybody has copied them, they open nothing.

/// FNV-1a hashes, sorted, of the tokens, secrets and passwords in RFC 5849, 6749, 6750, 7009, 7519 and 7636, OAuth Core 1.0,
/// OpenID Connect Core, the start page of jwt.io, the reference of NuGet, RFC 6455, and the keys that every Azure Storage and Cosmos DB
/// emulator has. By their hashes, so that no scanner takes this file for a leak.
#[rustfmt::skip]
const PUBLISHED: [u64; 33] = [
    0x03b3_433f_2c47_d86f, 0x0586_33e2_ffe8_cd27, 0x0ab5_0e41_2ab9_81a4, 0x105e_4dd7_63a8_12bc,
    0x15b0_7405_a882_d3ff, 0x15f8_7945_422c_bea3, 0x1a3e_1c90_ee66_98a0, 0x1a7b_78be_56f3_054d,
    0x273f_5e02_3867_ba98, 0x2e23_80ac_3dc2_ea0b, 0x30aa_8188_bb02_3e35, 0x36ec_79cf_e49d_42fa,
    0x3be9_55b1_8f32_adbe, 0x3c0d_8e9d_b0e6_bea8, 0x3f9d_1c99_6e62_0b67, 0x4155_0317_7a5c_10e1,
    0x4f45_9807_254f_1ee7, 0x55e6_407f_d6ee_a643, 0x60bc_a9a8_e7e7_80a0, 0x76f0_7e1e_430f_318e,
    0x846b_2a1e_2fad_7fcb, 0x9bb9_3d89_924c_f35d, 0x9f19_20c6_cd48_4714, 0xa222_6750_f45d_e093,
    0xbb65_956c_4b8b_34bf, 0xce68_431b_ed00_033e, 0xd7ba_480f_b3bb_167e, 0xd9ad_86ad_3724_159b,
    0xdb9d_9a01_5ca5_096c, 0xdc8d_8ca0_6454_72e9, 0xecc1_a447_4851_bc28, 0xf1c7_4fb0_c339_78da,
    0xf40e_2e02_6c9a_c885,
];

pub(super) fn is_published(value: &[u8]) -> bool {
    let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    PUBLISHED.binary_search(&value.iter().fold(0xcbf2_9ce4_8422_2325, hash)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_standards_are_known() {
        assert!(PUBLISHED.is_sorted());
        assert!(is_published(["2YotnFZFEjr1", "zCsicMWpAA"].concat().as_bytes()));
        assert!(is_published(
            ["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq", "/K1SZFPTOtr/KBHBeksoGMGw=="]
                .concat()
                .as_bytes()
        ));
        assert!(!is_published(b"") && !is_published(b"2YotnFZFEjr1zCsicMWpAB"));
    }
}
