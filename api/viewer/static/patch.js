// Makes a part of the page look like new HTML and leaves alone what is the same: what the reader has focused,
// opened or scrolled stays so, and the browser has less to lay out and to paint.

export function patch(part, html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  children(part, made.content);
}

function children(old, fresh) {
  let at = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const same = find(at, node);
    if (same) {
      while (at !== same) at = gone(at);
      at = at.nextSibling;
    } else if (at && isKin(at, node) && !isComing(at, node)) {
      become(at, node);
      at = at.nextSibling;
    } else {
      old.insertBefore(node, at);
    }
  }
  while (at) at = gone(at);
}

// The same node among the next ones, null if it is not there.
function find(from, node) {
  for (let one = from; one; one = one.nextSibling) if (one.isEqualNode(node)) return one;
  return null;
}

// Whether the old node will be wanted, as it is, further on.
const isComing = (old, node) => find(node.nextSibling, old) !== null;

const isKin = (one, other) =>
  one.nodeType === Node.ELEMENT_NODE && one.nodeName === other.nodeName && one.dataset?.card === other.dataset?.card;

function become(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  children(old, fresh);
}

function gone(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}
