package references

// The words for "read", "use" and "run" in the languages of skills, besides English, whose
// words are expressions of their own. In some languages they follow the path.

import (
	"regexp"
	"strings"
	"sync"
)

// instruction holds the forms of a language's words that instruct the reader to read, use
// or run a file.
type instruction struct {
	language      string
	before, after []string // of the path, in lower case
	spaced        bool     // whether words are separated by blanks
}

var instructions = []instruction{
	{language: "Chinese", before: []string{"参见", "參見", "参考", "參考", "参照", "参阅", "參閱", "阅读", "閱讀", "读取", "讀取", "查看", "加载", "載入", "载入", "详见", "詳見", "见", "見", "运行", "運行", "執行", "执行", "使用", "调用", "打开", "遵循", "按照", "依据", "根据"},
		after: []string{"中的说明", "中的规则", "中的步骤", "获取详细", "了解详情", "查看详情"}},
	{language: "Japanese", before: []string{"参照:", "参照：", "詳細は", "詳しくは"},
		after: []string{"を参照", "を読", "をご覧", "を確認", "を見", "を使", "を利用", "を実行", "に従", "に記載", "を開"}},
	{language: "Korean", before: []string{"참고:", "참조:", "자세한 내용은"},
		after: []string{"를 참고", "을 참고", "를 참조", "을 참조", "를 읽", "을 읽", "를 확인", "을 확인", "를 사용", "을 사용", "를 실행", "을 실행", "를 따", "을 따", " 참고", " 참조", "에 있"}},
	{language: "German", spaced: true, before: []string{"siehe", "lies", "lesen sie", "beachte", "verwende", "verwenden sie", "nutze", "öffne", "folge", "führe", "starte", "details in", "steht in", "gemäß", "nach"},
		after: []string{" aus", " lesen", " verwenden", " beachten", " ausführen", " nutzen"}},
	{language: "French", spaced: true, before: []string{"voir", "lire", "lisez", "lis", "consulter", "consultez", "consulte", "utiliser", "utilisez", "utilise", "ouvrez", "suivez", "suivre", "exécuter", "exécutez", "exécute", "lancer", "lancez", "charger", "chargez", "détails dans"}},
	{language: "Spanish", spaced: true, before: []string{"ver", "véase", "lee", "lea", "leer", "consulta", "consulte", "consultar", "revisa", "revise", "usa", "usar", "utiliza", "utilice", "abre", "sigue", "siga", "ejecuta", "ejecute", "ejecutar", "carga", "detalles en"}},
	{language: "Portuguese", spaced: true, before: []string{"ver", "veja", "leia", "ler", "consulte", "consultar", "usar", "utilize", "abra", "siga", "execute", "executar", "rode", "carregue", "detalhes em"}},
	{language: "Russian", spaced: true, before: []string{"см.", "см", "смотри", "смотрите", "прочитай", "прочитайте", "прочти", "читай", "используй", "используйте", "открой", "запусти", "запустите", "выполни", "выполните", "следуй", "подробнее в", "описано в"}},
}

// words returns the expression of one of several words.
func words(list []string) string {
	quoted := make([]string, len(list))
	for i, w := range list {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return "(?:" + strings.Join(quoted, "|") + ")"
}

// instructionBefore matches a text that ends with such a word, and perhaps two more
// before the path.
var instructionBefore = sync.OnceValue(func() *regexp.Regexp {
	var out []string
	for _, in := range instructions {
		if in.spaced {
			out = append(out, `(?:^|[^\pL])`+words(in.before)+`(?: \pL+){0,2}[ :]*$`)
		} else {
			out = append(out, words(in.before)+`[^。；;，,.\n创生写保输新]{0,8}[：:\s]*$`)
		}
	}
	return regexp.MustCompile(strings.Join(out, "|"))
})

// instructionAfter matches a text that begins with such a word.
var instructionAfter = sync.OnceValue(func() *regexp.Regexp {
	var out []string
	for _, in := range instructions {
		if len(in.after) > 0 {
			out = append(out, words(in.after))
		}
	}
	return regexp.MustCompile(`^(?:` + strings.Join(out, "|") + `)`)
})
