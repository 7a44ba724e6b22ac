//! Stable JSON: RFC 8785, the JSON Canonicalization Scheme.
//!
//! Keys are sorted by UTF-16 code units, nothing is spaced, and numbers are written as ECMAScript writes them. All numbers
//! are doubles, as the RFC has it: an integer beyond 2^53 that must keep its last digits has to be given as a string.

use serde::Serialize;

/// A value that has no stable JSON form.
#[derive(Debug, thiserror::Error)]
#[error("the value can't be written as stable JSON: {0}")]
pub struct JcsError(#[from] serde_json::Error);

/// The stable JSON of a value, as text.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, JcsError> {
    Ok(serde_json_canonicalizer::to_string(&value)?)
}

/// The stable JSON of a value, as bytes to be hashed.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, JcsError> {
    Ok(serde_json_canonicalizer::to_vec(&value)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_example_of_section_3_2() {
        let input = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        // The bytes of section 3.2.4.
        let expected = "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a\
            5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d3237\
            5d2c22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
        let value: Value = serde_json::from_str(input).unwrap();
        let hex: String = to_vec(&value).unwrap().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, expected);
    }

    #[test]
    fn the_weird_keys_of_section_3_2_3_are_sorted_by_utf16() {
        let input = r#"{
            "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
            "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#;
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(
            to_string(&value).unwrap(),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
             \"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\
             \"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        );
    }

    #[test]
    fn the_numbers_of_appendix_b() {
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(to_string(&f64::from_bits(bits)).unwrap(), text, "{bits:016x}");
        }
        for bits in [0x7fff_ffff_ffff_ffff_u64, 0x7ff0_0000_0000_0000] {
            assert!(to_string(&f64::from_bits(bits)).is_err(), "{bits:016x}");
        }
    }

    #[test]
    fn order_and_spacing_of_the_input_do_not_matter() {
        let a: Value = serde_json::from_str(r#"{"b":[1.0, 2],"a":{"y":null,"x":"é"}}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{ "a":{"x":"\u00e9","y":null}, "b":[1,2e0] }"#).unwrap();
        assert_eq!(to_string(&a).unwrap(), r#"{"a":{"x":"é","y":null},"b":[1,2]}"#);
        assert_eq!(to_vec(&a).unwrap(), to_vec(&b).unwrap());
        assert_eq!(to_string("a\"b").unwrap(), r#""a\"b""#);
    }
}
