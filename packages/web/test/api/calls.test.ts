import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { asCurl, asTypeScript } from '../../src/api/call-text.js';
import type { RecordedCall } from '../../src/api/recorder.js';

const origin = 'https://panel.test';
const call: RecordedCall = {
  id: 1,
  method: 'PUT',
  path: '/servers/{id}/backups/{backup-id}',
  params: { id: 'a b', backup_id: '7' },
  query: { page: 2, search: undefined },
  body: { name: `it's "here" $HOME`, password: 'hunter2', nested: [{ api_token: 'abc' }] },
  at: 0,
};

describe('calls as commands', () => {
  it('writes curl that a shell takes apart as it was meant', () => {
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; TOKEN=t; ${asCurl(call, origin)}`], {
      encoding: 'utf8',
    }).split('\n');
    expect(words.slice(0, -1)).to.deep.equal([
      '-X',
      'PUT',
      `${origin}/api/v1/servers/a%20b/backups/7?page=2`,
      '-H',
      'authorization: Bearer t',
      '-H',
      'content-type: application/json',
      '-d',
      JSON.stringify({
        name: `it's "here" $HOME`,
        password: 'YOUR_PASSWORD',
        nested: [{ api_token: 'YOUR_API_TOKEN' }],
      }),
    ]);
  });

  it('writes TypeScript for the client without secrets', () => {
    const text = asTypeScript(call, origin);
    expect(text).to.contain('await client.put("/servers/{id}/backups/{backup-id}", {');
    expect(text).to.contain('"backup_id": "7"').and.not.to.contain('hunter2');
  });
});
