import { createHash } from 'node:crypto';
import { passwordScript } from './password-script.js';

const styleSheet = `
:root{color-scheme:light dark;--ink:#16202c;--soft:#5a6673;--paper:#fff;--ground:#eef1f5;--line:#c3cad3;--deed:#1d5fb8;--good:#17693c;--bad:#a4262c}
@media(prefers-color-scheme:dark){:root{--ink:#e8edf3;--soft:#a5b0bd;--paper:#1b222b;--ground:#11161c;--line:#465261;--deed:#7fb2f7;--good:#7fd3a2;--bad:#ff9a97}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{width:100%;max-width:27rem;background:var(--paper);border:1px solid var(--line);border-radius:12px;padding:2rem;box-shadow:0 8px 30px #0001}
h1{font-size:1.45rem;line-height:1.25;margin:0 0 .35rem}h2{font-size:1.1rem;margin:0 0 .35rem}
p{margin:.35rem 0 1rem}.soft{color:var(--soft)}
label{display:block;font-weight:600;margin-bottom:.3rem}
input{width:100%;font:inherit;padding:.6rem .75rem;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}
input[aria-invalid=true]{border-color:var(--bad)}
.line{display:flex;gap:.5rem}.line button{flex:none}
button{font:inherit;font-weight:600;padding:.6rem 1rem;border:1px solid var(--line);border-radius:8px;background:transparent;color:inherit;cursor:pointer}
button[type=submit]{width:100%;background:var(--deed);border-color:var(--deed);color:var(--paper)}
button:disabled{opacity:.6;cursor:progress}
:is(input,button,[tabindex]):focus-visible{outline:3px solid var(--deed);outline-offset:2px}
ul{list-style:none;margin:.75rem 0;padding:0;color:var(--soft);font-size:.94rem}
li::before{content:"○";display:inline-block;width:1.4em}li.met{color:var(--good)}li.met::before{content:"✓"}
.problem{color:var(--bad);font-weight:600;margin:.5rem 0}.problem:empty{display:none}
.good h2{color:var(--good)}
[hidden]{display:none}
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Script and style by hash, own requests only, no native form submission. */
export const passwordPagePolicy = [
  "default-src 'none'",
  `script-src ${hashOf(passwordScript)}`,
  `style-src ${hashOf(styleSheet)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Self-contained: works offline. */
export function renderPasswordPage(title: string, lead: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${styleSheet}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<noscript><p class="problem">This page needs JavaScript: the secret in your link stays in your browser, and only a script can use it there.</p></noscript>
<form id="choose" hidden novalidate>
<p class="soft">${lead}</p>
<label for="password">New password</label>
<div class="line">
<input id="password" name="password" type="password" autocomplete="new-password" autocapitalize="off" spellcheck="false" required aria-describedby="rules problem">
<button id="reveal" type="button" aria-pressed="false" aria-label="Show the password">Show</button>
</div>
<ul id="rules">
<li id="rule-length">at least 10 characters</li>
<li id="rule-size">at most 1024 bytes</li>
</ul>
<p class="problem" id="problem" role="alert"></p>
<button type="submit">Set password</button>
</form>
<section id="done" class="good" tabindex="-1" hidden>
<h2>Your password is set.</h2>
<p>All sessions you had are signed out. You can close this page and sign in with the new password.</p>
</section>
<section id="again" hidden>
<p id="again-why" class="problem" role="alert"></p>
<form id="ask" novalidate>
<h2>Ask for a new link</h2>
<label for="email">E-mail address of your account</label>
<p><input id="email" name="email" type="email" autocomplete="email" required aria-describedby="ask-problem"></p>
<p class="problem" id="ask-problem" role="alert"></p>
<button type="submit">Send me a link</button>
</form>
<section id="asked" class="good" tabindex="-1" hidden>
<h2>Look into your mail.</h2>
<p>If there is an account with this address, a link is on its way. It works for an hour.</p>
</section>
</section>
</main>
<script>${passwordScript}</script>
</body>
</html>
`;
}
