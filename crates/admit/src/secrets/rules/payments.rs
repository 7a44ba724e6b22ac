//! Money and shops.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_"],
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}",
    ),
    long("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/]{32}"),
    token(
        "square-token",
        &["sq0atp-", "sq0csp-", "EAAA"],
        r"(?:sq0atp-[A-Za-z0-9_\-]{22}|sq0csp-[A-Za-z0-9_\-]{43}|EAAA[A-Za-z0-9_\-]{60})",
    ),
    token("braintree-token", &["access_token$"], r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    assigned("paypal-secret", &["paypal", "braintree"], r"E[A-Za-z0-9_\-]{70,90}|[a-f0-9]{32}"),
    long("adyen-key", &["AQE"], r"AQE[a-z]hm[A-Za-z0-9+/]{80}"),
    assigned("razorpay-secret", &["razorpay"], r"[A-Za-z0-9]{24}"),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
        r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}",
    )
    .entropy(2.5),
    token("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST|_LIVE)?-[A-Za-z0-9]{12,40}-X"),
    token("mollie-key", &["live_", "test_"], r"(?:live|test)_[A-Za-z0-9]{30}").entropy(3.8),
    token("gocardless-token", &["live_"], r"live_[A-Za-z0-9_\-]{40}").entropy(4.0),
    token(
        "plaid-token",
        &["access-"],
        r"access-(?:production|development|sandbox)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    assigned("plaid-secret", &["plaid"], r"[a-f0-9]{30}"),
    token("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}"),
    token("shippo-token", &["shippo_"], r"shippo_(?:live|test)_[a-f0-9]{40}"),
    token("duffel-token", &["duffel_"], r"duffel_(?:live|test)_[A-Za-z0-9_\-]{43}"),
    assigned(
        "coinbase-secret",
        &["coinbase", "binance", "kraken", "bitfinex", "bybit", "kucoin", "okx", "alpaca"],
        r"[A-Za-z0-9+/_\-]{32,88}={0,2}",
    ),
    near(
        "checkout-key",
        &["sk_"],
        r"\b(sk_(?:sbox_|test_)?[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12})\b",
    ),
    token("lob-key", &["live_", "test_"], r"(?:live|test)_[a-f0-9]{35}"),
    token("paddle-key", &["pdl_"], r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}"),
];
