'use strict';
// All texts are of others: they are only ever put on the page as textContent.
(() => {
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const {places, left} = JSON.parse(byId('places').textContent);
  const c = data.columns, outcomes = ['fail', 'error', 'excluded', 'pass'], pageRows = 100;
  const lower = list => list.map(text => text.toLowerCase());
  const tables = {subject: lower(data.subjects), scenario: lower(data.scenarios), class: lower(data.classes), detail: lower(data.details)};
  const fields = ['q', 'subject', 'outcome', 'class', 'tag', 'tools', 'sort'];
  let rows = [], page = 0, scenario = '', shown = -1, opener = null;

  const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const option = (value, text) => {
    const element = make('option', text);
    element.value = value;
    return element;
  };
  const fill = (id, values) => byId(id).replaceChildren(option('', 'all'), ...values.map(value => option(value, value)));
  fill('subject', data.subjects);
  fill('outcome', outcomes);
  fill('class', [...data.classes].sort());
  fill('tag', [...data.tagNames].sort());
  fill('tools', [...new Set(c.tools)].sort((a, b) => a - b).filter(n => n > 0).map(String));

  const nameOf = i => `${data.subjects[c.subject[i]]}|${data.scenarios[c.scenario[i]]}|${c.trial[i]}`;
  const address = i => new URLSearchParams({trial: nameOf(i)});
  const state = () => {
    const values = new URLSearchParams();
    for (const name of fields) if (byId(name).value) values.set(name, byId(name).value);
    if (scenario) values.set('scenario', scenario);
    return values;
  };

  // select finds the rows that the filter lets through.
  function select() {
    const pick = (list, id) => byId(id).value ? list.indexOf(byId(id).value) : -2;
    const subject = pick(data.subjects, 'subject'), outcome = pick(outcomes, 'outcome'), cls = pick(data.classes, 'class');
    const tag = pick(data.tagNames, 'tag'), tools = byId('tools').value ? Number(byId('tools').value) : -2;
    const only = scenario ? data.scenarios.indexOf(scenario) : -2;
    const words = byId('q').value.toLowerCase().split(/\s+/).filter(Boolean).map(word =>
      Object.fromEntries(Object.entries(tables).map(([name, list]) => [name, list.map(text => text.includes(word))])));
    rows = [];
    for (let i = 0; i < c.trial.length; i++) {
      if (subject !== -2 && c.subject[i] !== subject || outcome !== -2 && c.outcome[i] !== outcome || cls !== -2 && c.class[i] !== cls) continue;
      if (tools !== -2 && c.tools[i] !== tools || only !== -2 && c.scenario[i] !== only) continue;
      if (tag !== -2 && !data.tags[c.scenario[i]].includes(tag)) continue;
      if (!words.every(w => w.scenario[c.scenario[i]] || w.subject[c.subject[i]] || w.class[c.class[i]] || w.detail[c.detail[i]])) continue;
      rows.push(i);
    }
    if (byId('sort').value === 'slow') rows.sort((a, b) => c.ms[b] - c.ms[a]);
    if (byId('sort').value === 'scenario') {
      rows.sort((a, b) => data.scenarios[c.scenario[a]].localeCompare(data.scenarios[c.scenario[b]]) || c.subject[a] - c.subject[b] || c.trial[a] - c.trial[b]);
    }
  }

  function draw() {
    const last = Math.max(0, Math.ceil(rows.length / pageRows) - 1);
    page = Math.min(page, last);
    const body = document.createDocumentFragment();
    for (const i of rows.slice(page * pageRows, (page + 1) * pageRows)) body.append(row(i));
    byId('trials').tBodies[0].replaceChildren(body);
    byId('count').textContent = `${rows.length} of ${c.trial.length} trials` + (scenario ? ` of scenario ${scenario}` : '') + (last > 0 ? `, page ${page + 1} of ${last + 1}` : '') +
      (left > 0 ? `. ${left} have no transcript here, since the log has none or there was no room.` : '.');
    byId('previous').disabled = page === 0;
    byId('next').disabled = page === last;
  }

  function row(i) {
    const line = make('tr'), head = make('th'), link = make('a', data.scenarios[c.scenario[i]]);
    head.scope = 'row';
    link.href = '#' + address(i);
    link.dataset.row = i;
    head.append(link);
    const outcome = outcomes[c.outcome[i]];
    const why = [data.classes[c.class[i]], data.details[c.detail[i]]].filter(Boolean).join(': ');
    line.append(head);
    for (const [text, style, name] of [[data.subjects[c.subject[i]]], [c.trial[i], 'n', 'trial'], [outcome, outcome], [why],
      [c.tools[i] || '', 'n', 'tools'], [c.ms[i] ? Math.round(c.ms[i]) : '', 'n', 'ms'], [c.calls[i] || '', 'n', 'calls'],
      [c.prompt[i] + c.answer[i] ? `${c.prompt[i]} + ${c.answer[i]}` : '', 'n', 'tokens']]) {
      const cell = make('td', text, style);
      if (name) cell.dataset.name = name;
      line.append(cell);
    }
    return line;
  }

  // piece opens a compressed list of transcripts, once.
  const pieces = new Map();
  function piece(n) {
    if (!pieces.has(n)) {
      const bytes = Uint8Array.from(atob(byId('piece' + n).textContent), letter => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
      pieces.set(n, new Response(stream).json());
    }
    return pieces.get(n);
  }

  async function show(i) {
    shown = i;
    byId('trial-title').textContent = `${data.scenarios[c.scenario[i]]}, trial ${c.trial[i]}`;
    const dialog = byId('trial'), body = byId('trial-body');
    body.replaceChildren();
    if (!dialog.open) dialog.showModal();
    const at = rows.indexOf(i);
    byId('trial-previous').disabled = at <= 0;
    byId('trial-next').disabled = at < 0 || at === rows.length - 1;
    let t = null, problem = 'The transcript is not in this page: the log has none, or there was no room for it.';
    if (places[i][0] >= 0) {
      try {
        t = (await piece(places[i][0]))[places[i][1]];
      } catch (error) {
        problem = 'This browser cannot open compressed transcripts: ' + error;
      }
    }
    if (shown !== i) return;
    body.append(facts(i, t));
    if (!t) {
      body.append(make('p', problem, 'note'));
      return;
    }
    if (t.cut) body.append(make('p', `${t.cut} messages before these are left out.`, 'note'));
    const said = make('ol', undefined, 'said');
    for (const m of t.messages || []) said.append(message(m, t));
    body.append(said);
    if (t.expected) {
      const details = make('details');
      details.append(make('summary', 'What was expected'), make('pre', pretty(t.expected)));
      body.append(details);
    }
    const failed = said.querySelector('.failed');
    if (failed) failed.scrollIntoView({block: 'center', behavior: 'instant'});
  }

  function facts(i, t) {
    const list = make('dl'), outcome = outcomes[c.outcome[i]];
    const add = (name, value, style) => {
      if (value) list.append(make('dt', name), make('dd', value, style));
    };
    add('subject', data.subjects[c.subject[i]]);
    add('outcome', [outcome, data.classes[c.class[i]]].filter(Boolean).join(', '), outcome);
    add('reason', t ? t.detail : data.details[c.detail[i]]);
    add('tags', data.tags[c.scenario[i]].map(n => data.tagNames[n]).join(' '));
    add('tools offered', c.tools[i]);
    add('time', c.ms[i] && c.ms[i] + ' ms');
    add('model calls', c.calls[i]);
    add('tokens', c.prompt[i] + c.answer[i] && `${c.prompt[i]} in, ${c.answer[i]} out`);
    if (t) {
      add('cost', t.cost);
      add('context', t.context);
      add('repaired calls', t.repaired);
      add('sampling', t.sampling);
      add('seed', t.seed);
      add('fingerprint', t.fingerprint);
      add('version', t.version);
      add('model', t.simulated && 'simulated or played');
    }
    return list;
  }

  function message(m, t) {
    const item = make('li', undefined, ['user', 'assistant', 'tool'].includes(m.role) ? m.role : 'other');
    item.append(make('div', [m.role, m.name, m.cached && 'from the cache', m.refusal && 'did not run: ' + m.refusal].filter(Boolean).join(' · '), 'who'));
    if (m.text) item.append(make('p', m.text, 'text'));
    if (m.arguments) item.append(make('pre', pretty(m.arguments)));
    if (m.result) item.append(make('pre', '→ ' + pretty(m.result)));
    if (m.failed) {
      item.classList.add('failed');
      item.append(make('p', '✗ Here it failed' + (t.detail ? ': ' + t.detail : ''), 'here'));
    }
    return item;
  }

  function pretty(text) {
    try {
      const value = JSON.parse(text);
      return typeof value === 'object' && text.length > 80 ? JSON.stringify(value, null, 2) : text;
    } catch {
      return text;
    }
  }

  // read makes the page show what its address says.
  function read() {
    const values = new URLSearchParams(location.hash.slice(1));
    if (values.has('trial')) {
      const wanted = values.get('trial'), at = c.trial.findIndex((_, i) => nameOf(i) === wanted);
      if (at >= 0) show(at);
      else byId('count').textContent = `There is no trial ${wanted} on this page.`;
      return;
    }
    if (byId('trial').open) byId('trial').close();
    if (location.hash && ![...fields, 'scenario'].some(name => values.has(name))) return; // a section
    for (const name of fields) byId(name).value = values.get(name) || '';
    scenario = values.get('scenario') || '';
    page = 0;
    select();
    draw();
    if (location.hash) byId('list').scrollIntoView();
  }

  function refresh() {
    page = 0;
    select();
    draw();
    history.replaceState(null, '', '#' + state());
  }
  const turn = by => { page += by; draw(); byId('list').scrollIntoView(); };
  const step = by => {
    const next = rows[rows.indexOf(shown) + by];
    if (next === undefined) return;
    history.replaceState(null, '', '#' + address(next)); // tells nobody, so that nothing opens after an Escape
    show(next);
  };
  byId('filter').addEventListener('input', refresh);
  byId('filter').addEventListener('submit', event => event.preventDefault());
  byId('filter').addEventListener('reset', () => { scenario = ''; setTimeout(refresh); });
  byId('previous').addEventListener('click', () => turn(-1));
  byId('next').addEventListener('click', () => turn(1));
  byId('trial-previous').addEventListener('click', () => step(-1));
  byId('trial-next').addEventListener('click', () => step(1));
  byId('trial-close').addEventListener('click', () => byId('trial').close());
  byId('trials').addEventListener('click', event => { if (event.target.dataset.row) opener = event.target; });
  byId('trial').addEventListener('close', () => {
    shown = -1;
    history.replaceState(null, '', '#' + state());
    if (opener && opener.isConnected) opener.focus();
  });
  addEventListener('hashchange', read);
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (byId('trial').open) {
      if (event.key === 'n') step(1);
      if (event.key === 'p') step(-1);
      return;
    }
    if (event.key === '/') {
      event.preventDefault();
      byId('q').focus();
    }
    if (event.key === 'j' || event.key === 'k') {
      const links = [...byId('trials').querySelectorAll('a')];
      const next = links[Math.min(links.length - 1, Math.max(0, links.indexOf(document.activeElement) + (event.key === 'j' ? 1 : -1)))];
      if (next) next.focus();
    }
  });
  select();
  draw();
  read();
})();
