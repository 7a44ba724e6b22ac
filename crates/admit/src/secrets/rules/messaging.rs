//! Mail, chat, telephony and social networks.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    long(
        "slack-token",
        &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[a-eoprs]-[0-9A-Za-z]{1,20}-|xoxe\.xox[bp]-[0-9]-|xoxd-|xapp-[0-9]-)[A-Za-z0-9%\-]{10,250}",
    ).entropy(2.5),
    near("slack-webhook", &["hooks.slack.com/"], r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,80})"),
    near("discord-webhook", &["/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_\-]{60,80})")
        .reach(16, 120),
    near("discord-bot-token", &["discord", "bot_token", "bottoken", "client.login", "bot.run"], r"(?i)(?:discord|bot_?token|login|run)[^\r\n]{0,40}?\b((?-i:[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}))")
        .reach(0, 140),
    near("telegram-bot-token", &[":AA"], r"(?:\b|bot)([0-9]{8,10}:AA[A-Za-z0-9_\-]{33})(?:[^A-Za-z0-9_\-]|$)")
        .reach(14, 40),
    token("twilio-api-key", &["SK"], r"SK[0-9a-f]{32}"),
    assigned("twilio-auth-token", &["twilio"], r"[0-9a-f]{32}"),
    token("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43}"),
    token("mailgun-key", &["key-"], r"key-[0-9a-f]{32}"),
    assigned("mailgun-private-key", &["mailgun"], r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    near("mailchimp-key", &["-us"], r"\b([0-9a-f]{32}-us[0-9]{1,2})\b").reach(33, 4),
    token("brevo-key", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    token("resend-key", &["re_"], r"re_[A-Za-z0-9]{8,9}_[A-Za-z0-9]{20,25}").entropy(3.6),
    assigned("mail-service-key", &["postmark", "mailjet", "sparkpost", "mandrill", "mailerlite", "mailtrap"], r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,40}|[A-Za-z0-9_\-]{22}"),
    near("teams-webhook", &[".webhook.office.com/"], r"\.webhook\.office\.com/webhookb2/([0-9a-f\-]{36}@[0-9a-f\-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f\-]{36})"),
    near("google-chat-webhook", &["chat.googleapis.com/"], r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]{6,20}/messages\?key=[A-Za-z0-9_\-]{10,60}&token=([A-Za-z0-9_\-%]{20,60})"),
    long("facebook-token", &["EAA"], r"EAA[A-Za-z0-9]{80}").entropy(4.0),
    assigned("facebook-secret", &["facebook", "fb_app", "instagram", "whatsapp"], r"[0-9a-f]{32}"),
    long("instagram-token", &["IGQV", "IGQW", "IGAA"], r"IG(?:Q[VW]|AA)[A-Za-z0-9_\-]{100}"),
    long("twitter-bearer", &["AAAAAAAAAAAAAAAAAAAAA"], r"A{21,22}[A-Za-z0-9]{8,20}%[A-Za-z0-9%]{60}"),
    assigned("twitter-secret", &["twitter", "tweepy"], r"[A-Za-z0-9]{45,50}|[0-9]{8,20}-[A-Za-z0-9]{30,45}"),
    long("linkedin-token", &["WPL_AP"], r"WPL_AP[01]\.[A-Za-z0-9]{14,16}\.[A-Za-z0-9+/]{6,8}"),
    assigned("social-secret", &["linkedin", "twitch", "reddit", "tiktok", "pinterest", "spotify", "vk_", "zoom", "webex"], r"[A-Za-z0-9_\-]{16,64}")
        .entropy(3.4),
    assigned("telephony-secret", &["nexmo", "vonage", "plivo", "messagebird", "telnyx", "sinch"], r"[A-Za-z0-9]{16,64}")
        .entropy(3.2),
    token("onesignal-key", &["os_v2_"], r"os_v2_(?:app|org)_[a-z0-9]{50,110}"),
    long("intercom-token", &["dG9rO"], r"dG9rO[A-Za-z0-9+/]{40}"),
    assigned("chat-service-token", &["mattermost", "rocketchat", "rocket_chat", "gitter", "zulip", "matrix", "zendesk", "freshdesk", "intercom", "pusher", "sendbird", "line_channel", "viber"], r"[A-Za-z0-9_\-]{20,80}")
        .entropy(3.3),
];
