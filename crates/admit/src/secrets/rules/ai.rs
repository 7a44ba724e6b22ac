//! Services of models and what is built around them.

use super::super::rule::{Rule, assigned, long, near, token};

pub(super) const RULES: &[Rule] = &[
    long("anthropic-api-key", &["sk-ant-"], r"sk-ant-[a-z]{2,10}[0-9]{2}-[A-Za-z0-9_\-]{30}|sk-ant-[A-Za-z0-9_\-]{40}")
        .takes(&["export K=\"«sk-ant-api03-{y93}AA»\""])
        .leaves(&["sk-ant-...", "sk-ant-api03-your-key-goes-right-here"]),
    token("openrouter-key", &["sk-or-"], r"sk-or-v1-[a-f0-9]{64}")
        .takes(&["or «sk-or-v1-{x64}» x"])
        .leaves(&["sk-or-v1-..."]),
    token("langfuse-key", &["sk-lf-"], r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
        .takes(&["lf «sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}» x"])
        .leaves(&["sk-lf-..."]),
    long(
        "openai-api-key",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{40}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{32})",
    )
    .entropy(3.5)
    .takes(&["openai: «sk-{w20}T3BlbkFJ{w20}» ", "k=«sk-proj-{y48}T3BlbkFJ{y48}» "])
    .leaves(&[
        "sk-learn",
        "task-q7Kx2mVbN9",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-loading-spinner-animated-element-x",
    ]),
    token("hugging-face-token", &["hf_", "api_org_"], r"(?:hf_[A-Za-z0-9]{34,40}|api_org_[A-Za-z]{34})")
        .entropy(3.3)
        .takes(&["login «hf_{a34}»"])
        .leaves(&["hf_hub_download", "hf_transformers_model_loader_function_name"]),
    token("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}").takes(&["groq «gsk_{w52}» x"]).leaves(&["gsk_renderer_new"]),
    token("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{48,56}")
        .takes(&["pplx «pplx-{w48}» x"])
        .leaves(&["pplx-7b-online-and-more"]),
    token("replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{37}")
        .takes(&["rep «r8_{w37}» x"])
        .leaves(&["r8_unorm_texture"]),
    token("xai-key", &["xai-"], r"xai-[A-Za-z0-9]{70,80}").takes(&["grok «xai-{w80}» x"]).leaves(&["xai-explanations"]),
    token("nvidia-key", &["nvapi-"], r"nvapi-[A-Za-z0-9_\-]{60,70}")
        .takes(&["nv «nvapi-{w64}» x"])
        .leaves(&["nvapi-settings"]),
    token("cerebras-key", &["csk-"], r"csk-[a-z0-9]{48}")
        .takes(&["c «csk-{l48}» x"])
        .leaves(&["csk-refresh-value-name"]),
    token("voyage-key", &["pa-", "al-"], r"(?:pa|al)-[A-Za-z0-9_\-]{43}")
        .entropy(4.2)
        .takes(&["voyage «pa-{w43}» x"])
        .leaves(&["pa-rent", "al-pha-beta-gamma-delta-epsilon-zeta-eta-the"]),
    long("pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{50}")
        .takes(&["pc «pcsk_{w6}_{w63}» x"])
        .leaves(&["pcsk_short"]),
    token("langsmith-key", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}")
        .takes(&["ls «lsv2_pt_{x32}_{x10}» x"])
        .leaves(&["lsv2_pt_short"]),
    token("fireworks-key", &["fw_"], r"fw_[A-Za-z0-9]{22,24}")
        .entropy(3.6)
        .takes(&["fw «fw_{w24}» x"])
        .leaves(&["fw_cfg", "fw_device_registration_x"]),
    token("tavily-key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}")
        .takes(&["t «tvly-{w32}» x"])
        .leaves(&["tvly-YOUR_API_KEY"]),
    token("firecrawl-key", &["fc-"], r"fc-[a-f0-9]{32}")
        .takes(&["f «fc-{x32}» x"])
        .leaves(&["fc-list", "fc-event-title-container"]),
    token("jina-key", &["jina_"], r"jina_[a-f0-9]{32}[A-Za-z0-9_\-]{28}")
        .takes(&["j «jina_{x32}{w28}» x"])
        .leaves(&["jina_embeddings_v3_for_retrieval"]),
    token("e2b-key", &["e2b_"], r"e2b_[a-f0-9]{40}").takes(&["e «e2b_{x40}» x"]).leaves(&["e2b_sandbox"]),
    token("apify-token", &["apify_api_"], r"apify_api_[A-Za-z0-9]{36}")
        .takes(&["a «apify_api_{w36}» x"])
        .leaves(&["apify_api_base"]),
    token("elevenlabs-key", &["sk_"], r"sk_[a-f0-9]{48}")
        .takes(&["e «sk_{x48}» x"])
        .leaves(&["sk_buff", "sk_stream_kill_queues"]),
    token("together-key", &["tgp_v1_"], r"tgp_v1_[A-Za-z0-9_\-]{43}")
        .takes(&["t «tgp_v1_{w43}» x"])
        .leaves(&["tgp_v1_x"]),
    token("databricks-token", &["dapi", "dkea"], r"d(?:api|kea)[a-h0-9]{32}(?:-[0-9])?")
        .takes(&["«dapi{x32}»"])
        .leaves(&["dapifoo"]),
    long("databricks-oauth-secret", &["dose"], r"dose[a-f0-9]{32}")
        .takes(&["x «dose{x32}» y"])
        .leaves(&["dosed twice"]),
    assigned(
        "model-service-key",
        &[
            "cohere",
            "mistral",
            "together",
            "deepgram",
            "assemblyai",
            "wandb",
            "stability",
            "ai21",
            "deepseek",
            "roboflow",
            "clarifai",
            "openai",
            "gemini",
            "anyscale",
        ],
        r"[A-Za-z0-9_\-]{32,64}",
    )
    .takes(&["COHERE_API_KEY=«{w40}»\n", "wandb_api_key: «{x40}»\n", "mistralApiKey: \"«{w32}»\""])
    .leaves(&[
        "COHERE_API_KEY=your-cohere-key-from-the-dashboard",
        "openai_key_name = \"production-key-of-the-whole-team\"",
    ]),
    near(
        "wandb-netrc",
        &["api.wandb.ai"],
        r"api\.wandb\.ai\s{1,4}login\s{1,4}user\s{1,4}password\s{1,4}([a-f0-9]{40})",
    )
    .takes(&["machine api.wandb.ai\n  login user\n  password «{x40}»\n"])
    .leaves(&["machine api.wandb.ai\n  login user\n  password <key>\n"]),
];
