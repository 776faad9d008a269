
// Filters and searches the cases. Without it, everything can be read and opened.
(() => {
  for (const section of document.querySelectorAll('.list')) {
    const tools = section.querySelector('.tools');
    const cases = [...section.querySelectorAll('.case')];
    const buttons = [...tools.querySelectorAll('[data-tag]')];
    const search = tools.querySelector('input');
    const all = tools.querySelector('.all');
    const shown = tools.querySelector('.shown');
    const empty = section.querySelector('.empty');
    if (cases.length < 2) continue;
    tools.hidden = false;
    let tag = '', texts;
    const visible = () => cases.filter((c) => !c.hidden);
    const label = () => { all.textContent = visible().some((c) => !c.open) ? 'Open all' : 'Close all'; };
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length && !texts) texts = cases.map((c) => c.textContent.toLowerCase());
      cases.forEach((c, i) => {
        c.hidden = !((!tag || c.dataset.tags.split(' ').includes(tag)) && words.every((w) => texts[i].includes(w)));
      });
      const n = visible().length;
      shown.textContent = tag || words.length ? n + ' of ' + cases.length + ' cases shown' : '';
      empty.hidden = n > 0;
      label();
    };
    for (const button of buttons) {
      button.addEventListener('click', () => {
        tag = button.dataset.tag;
        for (const b of buttons) b.setAttribute('aria-pressed', String(b === button));
        update();
      });
    }
    search.addEventListener('input', update);
    all.addEventListener('click', () => {
      const open = visible().some((c) => !c.open);
      for (const c of visible()) c.open = open;
      label();
    });
    section.addEventListener('toggle', label, true);
  }
  // A link to a case opens it.
  const follow = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.matches('.case')) {
      target.hidden = false;
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener('hashchange', follow);
  follow();
})();
