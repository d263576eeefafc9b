// The editor: CodeMirror with cpol's words, its diagnostics, and the lines that ran in the step that is shown.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

function languageOf(words) {
  const known = new Set(words);
  return StreamLanguage.define({
    name: "cpol",
    token(stream) {
      if (stream.match(/^\/\/\/.*/)) return "docComment";
      if (stream.match(/^\/\/.*/)) return "lineComment";
      if (stream.match(/^"[^"\n]*"?/)) return "string";
      if (stream.match(/^[0-9][0-9_.]*/)) return "number";
      const word = stream.match(/^[A-Za-z_][A-Za-z0-9_]*/);
      if (word) return known.has(word[0]) ? "keyword" : "variableName";
      stream.next();
      return null;
    },
    tokenTable: { docComment: tags.docComment, lineComment: tags.lineComment },
    languageData: { commentTokens: { line: "//" } },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "word" },
  { tag: [tags.docComment, tags.lineComment], class: "comment" },
  { tag: tags.number, class: "number" },
  { tag: tags.string, class: "string" },
]);

const setRan = StateEffect.define();
const ranLine = Decoration.line({ class: "ran" });
const ran = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    let now = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setRan)) continue;
      const { doc } = transaction.state;
      const lines = effect.value.filter((line) => line <= doc.lines);
      now = Decoration.set(lines.map((line) => ranLine.range(doc.line(line).from)));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  constructor(parent, words, changed) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: "",
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          lintGutter(),
          languageOf(words),
          syntaxHighlighting(colours),
          ran,
          // Tab leaves the editor, as everywhere on the page: who has no mouse must get out of it.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Text of the policy", spellcheck: "false", tabindex: "0" }),
          EditorView.updateListener.of((update) => update.docChanged && changed()),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    const end = this.view.state.doc.length;
    const anchor = Math.min(this.view.state.selection.main.anchor, text.length);
    this.view.dispatch({ changes: { from: 0, to: end, insert: text }, selection: { anchor } });
  }

  /** The line of the cursor. */
  get line() {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }

  show(diagnostics) {
    const { length } = this.view.state.doc;
    const placed = diagnostics
      .filter((each) => each.from !== null)
      .map((each) => ({
        from: Math.min(each.from, length),
        to: Math.min(each.to, length),
        severity: each.severity,
        source: each.code,
        message: [each.message, each.label, each.why, each.help].filter(Boolean).join("\n"),
      }));
    this.view.dispatch(setDiagnostics(this.view.state, placed));
  }

  /** Mark lines, and bring the first into view. The page itself stays where it is. */
  showRan(lines) {
    this.view.dispatch({ effects: setRan.of(lines) });
    const { doc } = this.view.state;
    if (!lines.length || lines[0] > doc.lines) return;
    const { scrollDOM } = this.view;
    const { top, bottom } = this.view.lineBlockAt(doc.line(lines[0]).from);
    if (top >= scrollDOM.scrollTop && bottom <= scrollDOM.scrollTop + scrollDOM.clientHeight) return;
    scrollDOM.scrollTop = top - scrollDOM.clientHeight / 3;
  }

  go(offset) {
    const anchor = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  goLine(line) {
    this.go(this.view.state.doc.line(Math.min(line, this.view.state.doc.lines)).from);
  }
}
