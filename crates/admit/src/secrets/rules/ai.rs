//! Services of models and what is built around them.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    long("anthropic-api-key", &["sk-ant-"], r"sk-ant-[a-z]{2,10}[0-9]{2}-[A-Za-z0-9_\-]{30}|sk-ant-[A-Za-z0-9_\-]{40}"),
    token("openrouter-key", &["sk-or-"], r"sk-or-v1-[a-f0-9]{64}"),
    token("langfuse-key", &["sk-lf-"], r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    long(
        "openai-api-key",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{40}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{32})",
    )
    .entropy(3.5),
    token("hugging-face-token", &["hf_", "api_org_"], r"(?:hf_[A-Za-z0-9]{34,40}|api_org_[A-Za-z]{34})").entropy(3.3),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}"),
    token("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{48,56}"),
    token("replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{37}"),
    token("xai-key", &["xai-"], r"xai-[A-Za-z0-9]{70,80}"),
    token("nvidia-key", &["nvapi-"], r"nvapi-[A-Za-z0-9_\-]{60,70}"),
    token("cerebras-key", &["csk-"], r"csk-[a-z0-9]{48}"),
    token("voyage-key", &["pa-", "al-"], r"(?:pa|al)-[A-Za-z0-9_\-]{43}").entropy(4.2),
    long("pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50}"),
    token("langsmith-key", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    token("fireworks-key", &["fw_"], r"fw_[A-Za-z0-9]{22,24}").entropy(3.6),
    token("tavily-key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}"),
    token("firecrawl-key", &["fc-"], r"fc-[a-f0-9]{32}"),
    token("jina-key", &["jina_"], r"jina_[a-f0-9]{32}[A-Za-z0-9_\-]{28}"),
    token("e2b-key", &["e2b_"], r"e2b_[a-f0-9]{40}"),
    token("apify-token", &["apify_api_"], r"apify_api_[A-Za-z0-9]{36}"),
    token("elevenlabs-key", &["sk_"], r"sk_[a-f0-9]{48}"),
    token("together-key", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_\-]{43}"),
    token("databricks-token", &["dapi", "dkea"], r"d(?:api|kea)[a-h0-9]{32}(?:-[0-9])?"),
    long("databricks-oauth-secret", &["dose"], r"dose[a-f0-9]{32}"),
    assigned(
        "model-service-key",
        &[
            "cohere", "mistral", "together", "deepgram", "assemblyai", "wandb", "stability", "ai21", "deepseek",
            "roboflow", "clarifai", "openai", "gemini", "anyscale",
        ],
        r"[A-Za-z0-9_\-]{32,64}",
    ),
    near(
        "wandb-netrc",
        &["api.wandb.ai"],
        r"api\.wandb\.ai\s{1,4}login\s{1,4}user\s{1,4}password\s{1,4}([a-f0-9]{40})",
    ),
];
