import { createLogger } from '@panel/kit/process';
import { expect } from 'chai';
import { createVies, type VatRegister } from '../../src/customers/vies.js';
import { type Fault, FaultServer } from '../payments/fault-server.js';
import { FakeVies } from './fake-vies.js';

const log = createLogger({ service: 'test', level: 'silent' });
const number = 'FR40303265045';

describe('VIES', () => {
  let vies: FakeVies;
  let server: FaultServer;
  let register: VatRegister;

  beforeEach(async () => {
    vies = new FakeVies();
    server = await vies.start();
    register = createVies({ apiBase: `${server.address}/rest-api`, timeoutMs: 500 }, log);
  });
  afterEach(async () => server.stop());

  it('says that a number is valid, with the proof that the seller has asked', async () => {
    vies.valid.add(number);
    expect(await register.check(number, 'DE136695976')).to.deep.equal({ isValid: true, consultation: 'WAPI1' });
    expect(vies.questions).to.deep.equal([
      { countryCode: 'FR', vatNumber: '40303265045', requesterMemberStateCode: 'DE', requesterNumber: '136695976' },
    ]);
  });

  it('says that a number is unknown, without a proof to a seller without a number', async () => {
    expect(await register.check(number, '')).to.deep.equal({ isValid: false, consultation: '' });
    expect(vies.questions).to.deep.equal([{ countryCode: 'FR', vatNumber: '40303265045' }]);
  });

  it('asks for a Greek number as EL', async () => {
    await register.check('EL094259216', '');
    expect(vies.questions[0]?.countryCode).to.equal('EL');
  });

  it('gives no answer while a member state is unavailable', async () => {
    vies.error = 'MS_UNAVAILABLE';
    expect(await register.check(number, '')).to.equal(null);
  });

  it('asks without the number of the seller when VIES does not know that', async () => {
    vies.valid.add(number);
    vies.unknownRequester = true;
    expect(await register.check(number, 'DE136695976')).to.deep.equal({ isValid: true, consultation: '' });
    expect(vies.questions.map(({ requesterNumber }) => requesterNumber)).to.deep.equal(['136695976', undefined]);
  });

  it('takes a number that VIES cannot read as unknown', async () => {
    vies.error = 'INVALID_INPUT';
    expect(await register.check(number, '')).to.deep.equal({ isValid: false, consultation: '' });
  });

  for (const fault of [
    { kind: 'status', status: 503 },
    { kind: 'garbage' },
    { kind: 'lose_answer' },
    { kind: 'never' },
  ] satisfies Fault[]) {
    it(`gives no answer after ${fault.kind}`, async () => {
      server.inject('/check-vat-number', fault);
      expect(await register.check(number, '')).to.equal(null);
    });
  }

  it('takes no verdict from a response that names an error', async () => {
    const odd = await FaultServer.start(() => {
      return { status: 200, json: { valid: false, userError: 'MS_MAX_CONCURRENT_REQ' } };
    });
    const asked = createVies({ apiBase: odd.address, timeoutMs: 500 }, log);
    expect(await asked.check(number, '')).to.equal(null);
    await odd.stop();
  });
});
