//! Mail, chat, telephony and social networks.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    long(
        "slack-token",
        &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[a-eoprs]-[0-9A-Za-z]{1,20}-|xoxe\.xox[bp]-[0-9]-|xoxd-|xapp-[0-9]-)[A-Za-z0-9%\-]{10,250}",
    )
    .entropy(2.5)
    .takes(&["SLACK «xoxb-{d12}-{d13}-{w24}» x", "SLACK «xapp-1-A{u10}-{d13}-{x64}» x", "a «xoxe.xoxp-1-{w160}» x"])
    .leaves(&["xoxb-your-slack-bot-token", "xoxb-"]),
    near("slack-webhook", &["hooks.slack.com/"], r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,80})")
        .takes(&["curl https://hooks.slack.com/services/«T{u8}/B{u8}/{w24}» -d x"])
        .leaves(&[concat!("https://hooks.slack.com/services/", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX")]),
    near("discord-webhook", &["/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_\-]{60,80})")
        .reach(16, 120)
        .takes(&["https://discord.com/api/webhooks/123456789012345678/«{y67}x»"])
        .leaves(&["https://discord.com/api/webhooks/{id}/{token}"]),
    near("discord-bot-token", &["discord", "bot_token", "bottoken", "client.login", "bot.run"], r"(?i)(?:discord|bot_?token|login|run)[^\r\n]{0,40}?\b((?-i:[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}))")
        .reach(0, 140)
        .takes(&["DISCORD_TOKEN=«M{w23}.{w6}.{w38}»\n", "client.login('«O{w25}.{w6}.{w38}»')"])
        .leaves(&["discord.js.org/docs/main/general/welcome", "discord token: M.x.y"]),
    near("telegram-bot-token", &[":AA"], r"(?:\b|bot)([0-9]{8,10}:AA[A-Za-z0-9_\-]{33})(?:[^A-Za-z0-9_\-]|$)")
        .reach(14, 40)
        .takes(&["bot «72{d8}:AA{y33}»\n", "https://api.telegram.org/bot«72{d8}:AA{y33}»/getMe"])
        .leaves(&["12:AAPL", "at 10:AA or so"]),
    token("twilio-api-key", &["SK"], r"SK[0-9a-f]{32}")
        .takes(&["(«SK{x32}»)"])
        .leaves(&["SKIP this", "TASK9f8e7d6c5b4a39281706f5e4d3c2b1a0"]),
    assigned("twilio-auth-token", &["twilio"], r"[0-9a-f]{32}")
        .takes(&["TWILIO_AUTH_TOKEN=«{x32}»\n"])
        .leaves(&["TWILIO_AUTH_TOKEN=$TOKEN", "twilio_account_sid = \"AC{x32}\""]),
    token("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}")
        .takes(&["SENDGRID '«SG.{y22}.{y42}x»'"])
        .leaves(&["msg.content.length", "SG.short.value"]),
    token("mailgun-key", &["key-"], r"key-[0-9a-f]{32}")
        .takes(&["api:«key-{x32}»"])
        .leaves(&["key-value", "monkey-9f8e7d6c5b4a39281706f5e4d3c2b1a0f"]),
    assigned("mailgun-private-key", &["mailgun"], r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}")
        .takes(&["MAILGUN_API_KEY=«{x32}-{x8}-{x8}»\n"])
        .leaves(&["MAILGUN_API_KEY=key"]),
    near("mailchimp-key", &["-us"], r"\b([0-9a-f]{32}-us[0-9]{1,2})\b")
        .reach(33, 4)
        .takes(&["chimp «{x32}-us12» x"])
        .leaves(&["en-us1", "region-us2"]),
    token("brevo-key", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}")
        .takes(&["b «xkeysib-{x64}-{w16}» x"])
        .leaves(&["xkeysib-..."]),
    token("resend-key", &["re_"], r"re_[A-Za-z0-9]{8,9}_[A-Za-z0-9]{20,25}")
        .entropy(3.6)
        .takes(&["r «re_{w8}_{w24}» x"])
        .leaves(&["re_compiled_pattern", "re_something_completely_different"]),
    assigned("mail-service-key", &["postmark", "mailjet", "sparkpost", "mandrill", "mailerlite", "mailtrap"], r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,40}|[A-Za-z0-9_\-]{22}")
        .takes(&["POSTMARK_SERVER_TOKEN=«{x8}-{x4}-{x4}-{x4}-{x12}»\n", "mailjet_secret_key: \"«{x32}»\""])
        .leaves(&["POSTMARK_SERVER_TOKEN=POSTMARK_API_TEST", "mailjet_key_name = \"main\""]),
    near("teams-webhook", &[".webhook.office.com/"], r"\.webhook\.office\.com/webhookb2/([0-9a-f\-]{36}@[0-9a-f\-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f\-]{36})")
        .takes(&["https://acme.webhook.office.com/webhookb2/«{x8}-{x4}-{x4}-{x4}-{x12}@{x8}-{x4}-{x4}-{x4}-{x12}/IncomingWebhook/{x32}/{x8}-{x4}-{x4}-{x4}-{x12}»"])
        .leaves(&["https://acme.webhook.office.com/webhookb2/<id>"]),
    near("google-chat-webhook", &["chat.googleapis.com/"], r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]{6,20}/messages\?key=[A-Za-z0-9_\-]{10,60}&token=([A-Za-z0-9_\-%]{20,60})")
        .takes(&["https://chat.googleapis.com/v1/spaces/AAAAbcd/messages?key=abc-def-ghi&token=«{w43}»"])
        .leaves(&["https://chat.googleapis.com/v1/spaces/AAAAbcd/messages"]),
    long("facebook-token", &["EAA"], r"EAA[A-Za-z0-9]{80}")
        .entropy(4.0)
        .takes(&["fb «EAAC{w160}» x"])
        .leaves(&["EAAC", "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]),
    assigned("facebook-secret", &["facebook", "fb_app", "instagram", "whatsapp"], r"[0-9a-f]{32}")
        .takes(&["FACEBOOK_APP_SECRET=«{x32}»\n"])
        .leaves(&["facebook_app_id = \"123456789012345\""]),
    long("instagram-token", &["IGQV", "IGQW", "IGAA"], r"IG(?:Q[VW]|AA)[A-Za-z0-9_\-]{100}").takes(&["ig «IGQW{w140}» x"]).leaves(&["IGQW"]),
    long("twitter-bearer", &["AAAAAAAAAAAAAAAAAAAAA"], r"A{21,22}[A-Za-z0-9]{8,20}%[A-Za-z0-9%]{60}")
        .takes(&["tw «AAAAAAAAAAAAAAAAAAAAA{w14}%2F{w80}» x"])
        .leaves(&["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]),
    assigned("twitter-secret", &["twitter", "tweepy"], r"[A-Za-z0-9]{45,50}|[0-9]{8,20}-[A-Za-z0-9]{30,45}")
        .takes(&["TWITTER_CONSUMER_SECRET=«{w50}»\n"])
        .leaves(&["TWITTER_CONSUMER_SECRET=xxx"]),
    long("linkedin-token", &["WPL_AP"], r"WPL_AP[01]\.[A-Za-z0-9]{14,16}\.[A-Za-z0-9+/]{6,8}").takes(&["l «WPL_AP1.{w16}.{w6}==» x"]).leaves(&["WPL_AP1"]),
    assigned("social-secret", &["linkedin", "twitch", "reddit", "tiktok", "pinterest", "spotify", "vk_", "zoom", "webex"], r"[A-Za-z0-9_\-]{16,64}")
        .entropy(3.4)
        .takes(&["SPOTIFY_CLIENT_SECRET=«{x32}»\n", "reddit_client_secret = \"«{w27}»\""])
        .leaves(&["reddit_client_secret = \"YOUR_CLIENT_SECRET_GOES_HERE\"", "zoom_key_binding = \"ctrl-alt-shift-plus\""]),
    assigned("telephony-secret", &["nexmo", "vonage", "plivo", "messagebird", "telnyx", "sinch"], r"[A-Za-z0-9]{16,64}")
        .entropy(3.2)
        .takes(&["NEXMO_API_SECRET=«{w16}»\n"])
        .leaves(&["NEXMO_API_SECRET=$SECRET"]),
    token("onesignal-key", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{50,110}")
        .takes(&["os «os_v2_app_{l100}» x"])
        .leaves(&["os_v2_app"]),
    long("intercom-token", &["dG9rO"], r"dG9rO[A-Za-z0-9+/]{40}").takes(&["i «dG9rO{b54}=» x"]).leaves(&["dG9rOm"]),
    assigned("chat-service-token", &["mattermost", "rocketchat", "rocket_chat", "gitter", "zulip", "matrix", "zendesk", "freshdesk", "intercom", "pusher", "sendbird", "line_channel", "viber"], r"[A-Za-z0-9_\-]{20,80}")
        .entropy(3.3)
        .takes(&["MATTERMOST_TOKEN=«{l26}»\n", "pusher_app_secret: «{x20}»\n"])
        .leaves(&["MATTERMOST_TOKEN=${TOKEN}", "matrix_key = \"translation-rotation-scale\""]),
];
