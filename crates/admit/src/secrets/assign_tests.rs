use super::*;

fn value_of(text: &str) -> Option<(String, Style)> {
    let at = text.to_ascii_lowercase().find("passw").unwrap();
    let name = name_around(text.as_bytes(), at..at + 5);
    read(text.as_bytes(), name).map(|a| (String::from_utf8(a.value).unwrap(), a.style))
}

#[test]
fn the_same_value_is_read_from_every_way_to_write_it() {
    let quoted = [
        r#"password = "v4lue""#,
        r#"password='v4lue';"#,
        r#"password := "v4lue""#,
        r#"'password' => 'v4lue',"#,
        r#""password": "v4lue""#,
        r#"{\"password\":\"v4lue\"}"#,
        r#"config["password"] = "v4lue""#,
        r#"define('DB_PASSWORD', 'v4lue');"#,
        r#"props.setProperty("db.password", "v4lue");"#,
        r#"user.setPassword("v4lue")"#,
        r#"let password: &'static str = "v4lue";"#,
        r#"const password: string = 'v4lue'"#,
        r#"password: str = "v4lue""#,
        r#"var password string = "v4lue""#,
        r#"if (password == "v4lue")"#,
        r#"process.env.PASSWORD || 'v4lue'"#,
        r#"os.environ.get("DB_PASSWORD", "v4lue")"#,
        r#"<add key="DbPassword" value="v4lue" />"#,
        "- name: DB_PASSWORD\n  value: \"v4lue\"",
        r#"{"name": "DB_PASSWORD", "value": "v4lue"}"#,
        "variable \"db_password\" {\n  type = string\n  default = \"v4lue\"\n}",
        r#"password = b"v4lue""#,
        r#"public string Password { get; set; } = "v4lue";"#,
        r#"password = String::from("v4lue")"#,
        "password =\n    \"v4lue\"",
        r#"password = """v4lue""""#,
        r#"password = "v4" + "lue""#,
        "password = \"v4\" \\\n  \"lue\"",
    ];
    for text in quoted {
        assert_eq!(value_of(text), Some(("v4lue".to_owned(), Style::Quoted)), "{text}");
    }
    for text in [
        "password=v4lue",
        "export DB_PASSWORD=v4lue\n",
        "  password: v4lue # why",
        "spring.datasource.password=v4lue",
        "ENV DB_PASSWORD=v4lue",
        "- name: DB_PASSWORD\n  value: v4lue\n",
    ] {
        assert_eq!(value_of(text), Some(("v4lue".to_owned(), Style::Setting)), "{text}");
    }
    for text in ["a=1;password=v4lue;b=2", "?user=a&password=v4lue&b=2", "host=a password=v4lue dbname=b"] {
        assert_eq!(value_of(text), Some(("v4lue".to_owned(), Style::Bare)), "{text}");
    }
    for text in
        ["<password>v4lue</password>", "<entry key=\"password\">v4lue</entry>", "<ns:password> v4lue</ns:password>"]
    {
        assert_eq!(value_of(text), Some(("v4lue".to_owned(), Style::Markup)), "{text}");
    }
    for text in ["tool --password v4lue -x", "#define PASSWORD \"v4lue\"", "ENV DB_PASSWORD v4lue"] {
        assert_eq!(value_of(text), Some(("v4lue".to_owned(), Style::Spaced)), "{text}");
    }
}

#[test]
fn what_assigns_nothing_is_no_assignment() {
    for text in [
        "password",
        "the password is asked for",
        "password = ",
        "password(",
        "Password::new()",
        "password =~ /a/",
        "a[password]",
        "\"a_password\",\n\"b_password\",\n",
        "arn:aws:password:prod/db",
    ] {
        assert_eq!(value_of(text), None, "{text}");
    }
}

#[test]
fn the_whole_name_is_read() {
    let text = b"x.spring-data.db_password_prod = 1";
    let at = 18;
    assert_eq!(&text[name_around(text, at..at + 4)], b"x.spring-data.db_password_prod");
    let text = br"a\nPASSWORD=b";
    assert_eq!(&text[name_around(text, 3..7)], b"PASSWORD");
}
