//! Money and shops.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    token(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_"],
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}",
    )
    .takes(&["stripe.key('«sk_live_{w24}»')", "«rk_test_{w99}»"])
    .leaves(&["sk_live_", "sk_test_something", "risk_live_data", "pk_live_{w24}"]),
    long("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/]{32}")
        .takes(&["«whsec_{w32}»\n"])
        .leaves(&["whsec_your_signing_secret_goes_in_this_place"]),
    token(
        "square-token",
        &["sq0atp-", "sq0csp-", "EAAA"],
        r"(?:sq0atp-[A-Za-z0-9_\-]{22}|sq0csp-[A-Za-z0-9_\-]{43}|EAAA[A-Za-z0-9_\-]{60})",
    )
    .takes(&["sq «sq0csp-{w43}» x", "sq «EAAA{w60}» x"])
    .leaves(&["sq0atp-short", "EAAAA"]),
    token("braintree-token", &["access_token$"], r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}")
        .takes(&["bt «access_token$production${l16}${x32}» x"])
        .leaves(&["access_token$production$id$key"]),
    assigned("paypal-secret", &["paypal", "braintree"], r"E[A-Za-z0-9_\-]{70,90}|[a-f0-9]{32}")
        .takes(&["PAYPAL_CLIENT_SECRET=«E{w79}»\n"])
        .leaves(&["PAYPAL_CLIENT_SECRET=$SECRET"]),
    long("adyen-key", &["AQE"], r"AQE[a-z]hm[A-Za-z0-9+/]{80}")
        .takes(&["adyen «AQEyhm{b120}==-{b40}=» x"])
        .leaves(&["AQEyhmfx"]),
    assigned("razorpay-secret", &["razorpay"], r"[A-Za-z0-9]{24}")
        .takes(&["RAZORPAY_KEY_SECRET=«{w24}»\n"])
        .leaves(&["RAZORPAY_KEY_ID=rzp_live_{w14}"]),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
        r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}",
    )
    .entropy(2.5)
    .takes(&["«shpat_{x32}»"])
    .leaves(&["shpat_ prefix"]),
    token("flutterwave-key", &["FLWSECK"], r"FLWSECK(?:_TEST|_LIVE)?-[A-Za-z0-9]{12,40}-X")
        .takes(&["flw «FLWSECK-{x32}-X» x"])
        .leaves(&["FLWSECK_TEST-xxxxxxxxxxxxxxxxxxxx-X", "FLWPUBK-{x32}-X"]),
    token("mollie-key", &["live_", "test_"], r"(?:live|test)_[A-Za-z0-9]{30}")
        .entropy(3.8)
        .takes(&["mollie «live_{w30}» x"])
        .leaves(&["test_something_of_thirty_characters", "test_thisIsALongCamelCaseTestNamed"]),
    token("gocardless-token", &["live_"], r"live_[A-Za-z0-9_\-]{40}")
        .entropy(4.0)
        .takes(&["gc «live_{w40}» x"])
        .leaves(&["live_view_component_with_a_rather_long_name"]),
    token(
        "plaid-token",
        &["access-"],
        r"access-(?:production|development|sandbox)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    )
    .takes(&["plaid «access-production-{x8}-{x4}-{x4}-{x4}-{x12}» x"])
    .leaves(&["access-control-allow-origin"]),
    assigned("plaid-secret", &["plaid"], r"[a-f0-9]{30}")
        .takes(&["PLAID_SECRET=«{x30}»\n"])
        .leaves(&["PLAID_SECRET=<secret>"]),
    token("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}")
        .takes(&["ez «EZAK{w54}» x"])
        .leaves(&["EZAKshort"]),
    token("shippo-token", &["shippo_"], r"shippo_(?:live|test)_[a-f0-9]{40}")
        .takes(&["s «shippo_live_{x40}» x"])
        .leaves(&["shippo_test_token"]),
    token("duffel-token", &["duffel_"], r"duffel_(?:live|test)_[A-Za-z0-9_\-]{43}")
        .takes(&["d «duffel_live_{w43}» x"])
        .leaves(&["duffel_test_x"]),
    assigned(
        "coinbase-secret",
        &["coinbase", "binance", "kraken", "bitfinex", "bybit", "kucoin", "okx", "alpaca"],
        r"[A-Za-z0-9+/_\-]{32,88}={0,2}",
    )
    .takes(&["BINANCE_API_SECRET=«{w64}»\n"])
    .leaves(&["BINANCE_API_SECRET=$SECRET", "binance_key_name = \"main\""]),
    near(
        "checkout-key",
        &["sk_"],
        r"\b(sk_(?:sbox_|test_)?[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12})\b",
    )
    .takes(&["c «sk_{x8}-{x4}-{x4}-{x4}-{x12}» x"])
    .leaves(&["sk_test_key"]),
    token("lob-key", &["live_", "test_"], r"(?:live|test)_[a-f0-9]{35}")
        .takes(&["lob «live_{x35}» x"])
        .leaves(&["live_data"]),
    token("paddle-key", &["pdl_"], r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}")
        .takes(&["p «pdl_live_apikey_{l26}_{w22}_{w3}» x"])
        .leaves(&["pdl_live_apikey_x"]),
];
