import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { root } from './root.js';

const directory = path.join(root, 'docs', 'adr');
const sections = ['Context', 'Decision', 'Rejected', 'Consequences'];

describe('decision records', () => {
  const names = readdirSync(directory).toSorted();

  it('numbers every record without holes', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).to.deep.equal(names.map((_, index) => index + 1));
  });

  for (const [index, name] of names.entries()) {
    it(`finds the sections of the template in ${name}`, () => {
      const text = readFileSync(path.join(directory, name), 'utf8');
      expect(name).to.match(/^\d{4}-[a-z0-9-]+\.md$/);
      expect(text).to.match(
        new RegExp(
          `^# ${index + 1}\\. .+\n\n- Date: \\d{4}-\\d\\d-\\d\\d\n- Status: (accepted|superseded by ADR \\d+)\n\n## `,
        ),
      );
      const found = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
      expect(found).to.include.members(['Context', 'Decision']);
      expect(found).to.deep.equal(sections.filter((section) => found.includes(section)));
    });
  }
});
