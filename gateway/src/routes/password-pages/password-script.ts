/** Allowed by hash. Writes text, never HTML. The token is in the URL fragment, which browsers never send. */
export const passwordScript = `
'use strict';
const part = (id) => document.getElementById(id);
const token = /^#token=([\\w-]{43})$/.exec(location.hash)?.[1];
const input = part('password');

function show(id, isShown) {
  part(id).hidden = !isShown;
}

function say(id, text) {
  part(id).textContent = text;
}

function isLongEnough(text) {
  return Array.from(text).length >= 10;
}

function isShortEnough(text) {
  return new TextEncoder().encode(text).length <= 1024;
}

function checkRules() {
  part('rule-length').classList.toggle('met', isLongEnough(input.value));
  part('rule-size').classList.toggle('met', input.value !== '' && isShortEnough(input.value));
  return isLongEnough(input.value) && isShortEnough(input.value);
}

async function post(path, body) {
  const response = await fetch('../api/v1/auth/password/' + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
    signal: AbortSignal.timeout(20000),
  });
  const answer = await response.json().catch(() => ({}));
  return { status: response.status, error: answer.error ?? {} };
}

/** What went wrong, for people. */
function wordsFor({ status, error }, field) {
  const problems = error.details?.[field];
  if (Array.isArray(problems)) return field === 'password' ? 'The password ' + problems.join(', ') + '.' : problems.join(', ');
  if (status === 429) return error.message || 'Too many tries. Wait a minute.';
  return 'That did not work. Try again in a moment.';
}

/** Send a form once at a time; \`work\` returns a message, or nothing. */
function onSubmit(formId, problemId, work) {
  const form = part(formId);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('[type=submit]');
    if (button.disabled) return;
    button.disabled = true;
    form.setAttribute('aria-busy', 'true');
    say(problemId, '');
    try {
      say(problemId, (await work()) ?? '');
    } catch {
      say(problemId, 'The panel does not answer. Check your connection and try again.');
    } finally {
      button.disabled = false;
      form.removeAttribute('aria-busy');
    }
  });
}

function refuseLink(words) {
  show('choose', false);
  show('again', true);
  say('again-why', words);
  part('email').focus();
}

onSubmit('choose', 'problem', async () => {
  if (!checkRules()) {
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    return isLongEnough(input.value) ? 'The password is too long.' : 'The password needs at least 10 characters.';
  }
  input.removeAttribute('aria-invalid');
  const answer = await post('reset', { token, password: input.value });
  if (answer.status === 401) {
    refuseLink('This link does not work any more: it has been used, replaced by a newer one, or is too old.');
    return '';
  }
  if (answer.status !== 200) {
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    return wordsFor(answer, 'password');
  }
  input.value = '';
  history.replaceState(null, '', location.pathname);
  show('choose', false);
  show('done', true);
  part('done').focus();
  return '';
});

onSubmit('ask', 'ask-problem', async () => {
  const answer = await post('forgot', { email: part('email').value });
  if (answer.status !== 200) return wordsFor(answer, 'email');
  show('ask', false);
  show('asked', true);
  part('asked').focus();
  return '';
});

input.addEventListener('input', checkRules);
part('reveal').addEventListener('click', () => {
  const isHidden = input.type === 'password';
  input.type = isHidden ? 'text' : 'password';
  part('reveal').textContent = isHidden ? 'Hide' : 'Show';
  part('reveal').setAttribute('aria-pressed', String(isHidden));
  input.focus();
});

if (token === undefined) refuseLink('This address is not whole. Open the link in the mail once more, all of it.');
else {
  show('choose', true);
  input.focus();
}
`;
