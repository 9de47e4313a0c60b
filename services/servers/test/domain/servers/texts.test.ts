import type { FieldMessages } from '@panel/kit/errors';
import { expect } from 'chai';
import { parseAllocations } from '../../../src/domain/allocations/allocation.js';
import { checkNest } from '../../../src/domain/eggs/check-nest.js';
import { checkSchedule } from '../../../src/domain/schedules/check-schedule.js';
import { ServerFields } from '../../../src/domain/servers/check-server.js';
import { checkEnvironment } from '../../../src/domain/servers/environment.js';
import { SubuserFields } from '../../../src/domain/subusers/check-subuser.js';

function refusedBy(check: () => FieldMessages | void): string[] {
  try {
    return Object.keys(check() ?? {});
  } catch (error) {
    return Object.keys((error as { metadata: { fields: FieldMessages } }).metadata.fields);
  }
}

function ofServer(fill: (fields: ServerFields) => void): FieldMessages {
  const checked = new ServerFields();
  fill(checked);
  return checked.fields;
}

function ofSubuser(fill: (fields: SubuserFields) => void): FieldMessages {
  const checked = new SubuserFields();
  fill(checked);
  return checked.fields;
}

const variable = { userViewable: true, userEditable: true, name: 'A', description: '', defaultValue: '', rules: [] };
const schedule = {
  cron: { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' },
  timezone: 'UTC',
  isActive: true,
  onlyWhenOnline: false,
  trigger: { kind: 'cron', emptyMinutes: 0, joinPattern: '', leavePattern: '' },
  tasks: [],
} as never as Parameters<typeof checkSchedule>[0];
const at = { backupsLimit: 0, at: new Date() };

/** By rejected field. */
const checks: Readonly<Record<string, (text: string) => FieldMessages | void>> = {
  name: (text) => ofServer((fields) => fields.name(text)),
  description: (text) => ofServer((fields) => fields.description(text)),
  startup: (text) => ofServer((fields) => fields.startup(text)),
  external_id: (text) => ofServer((fields) => fields.externalId(text)),
  'environment.ANY': (text) => checkEnvironment([{ ...variable, envVariable: 'ANY' }], { ANY: text }),
  alias: (text) => void parseAllocations({ ip: '192.0.2.1', alias: text, ports: ['25565'] }),
  author: (text) => checkNest({ name: 'Nest', description: '', author: text }),
  email: (text) => ofSubuser((fields) => void fields.email(`${text}@example.com`)),
};

describe('texts of servers', () => {
  for (const [field, check] of Object.entries(checks)) {
    it(`refuses control characters and line separators in ${field}`, () => {
      expect(
        refusedBy(() => check('fine')),
        'fine',
      ).to.deep.equal([]);
      for (const control of ['\0', '\u001b', '\u0085', '\u009b', '\u2028', '\u2029'])
        expect(
          refusedBy(() => check(`a${control}b`)),
          JSON.stringify(control),
        ).to.deep.equal([field]);
    });
  }

  it('refuses line breaks in a startup command and in a name, and takes them in a description', () => {
    for (const field of ['startup', 'name']) expect(refusedBy(() => checks[field]?.('a\nb'))).to.deep.equal([field]);
    expect(refusedBy(() => checks['description']?.('a\nb'))).to.deep.equal([]);
  });

  it('refuses marks that reverse text in names of servers and schedules', () => {
    expect(refusedBy(() => checks['name']?.('a\u202eb'))).to.deep.equal(['name']);
    expect(refusedBy(() => checkSchedule({ ...schedule, name: 'a\u202eb' }, at))).to.include('name');
    expect(refusedBy(() => checkSchedule({ ...schedule, name: 'a' }, at))).not.to.include('name');
  });
});
