// xterm.js writes sheets into <style> elements and style attributes, which the policy of the page
// forbids: text that becomes markup could use them too. To allow them ('unsafe-inline') would allow
// them to everything. A script may change sheets and styles as objects, so that is what is done
// here with what xterm.js writes, and the policy stays as it is.
const sheetOf = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
  return sheet;
};
const createElement = document.createElement.bind(document);
document.createElement = (name, ...more) => {
  if (name !== "style") {
    return createElement(name, ...more);
  }
  const stand = createElement("template"), sheet = sheetOf("");
  Object.defineProperty(stand, "textContent", {set: (text) => sheet.replaceSync(text)});
  return stand;
};
const setAttribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (name === "style") {
    this.style.cssText = value;
  } else {
    setAttribute.call(this, name, value);
  }
};
