import { isAppError } from '@panel/kit';
import {
  BillingSettings,
  GeneralSettings,
  GetSettingsRequest,
  MailSettings,
  MailSettings_Driver,
  MailSettings_Encryption,
  SecuritySettings_RequireTwoFactor,
  ServerSettings,
  type Settings,
} from '@panel/protos/admin';
import { expect } from 'chai';
import { failureOf, reasonOf, type RunningAdmin, startTestAdmin, userActor } from '../harness.js';

describe('the settings of the installation', () => {
  let admin: RunningAdmin;
  beforeEach(async () => {
    admin = await startTestAdmin();
  });
  afterEach(async () => admin.stop());

  const as = (...permissions: string[]) => ({ actorToken: admin.tokenOf(userActor(permissions)) });
  const get = async (options = as('settings.view')) =>
    (await admin.settings.getSettings(GetSettingsRequest.create(), options)).settings;
  const update = async (settings: Partial<Settings>, options = as('settings.update')) =>
    (await admin.settings.updateSettings({ settings: settings as Settings }, options)).settings;
  const general = (value: Partial<GeneralSettings>) => ({ general: GeneralSettings.create(value) });
  const mail = (value: Partial<MailSettings>) => ({ mail: MailSettings.create(value) });

  it('begin complete', async () => {
    const settings = await get();
    expect(settings?.general).to.include({ timezone: 'UTC', currency: 'EUR', registration: false });
    expect(settings?.mail).to.include({ driver: MailSettings_Driver.LOG, port: 587, password: '' });
    expect(settings?.security).to.include({ requireTwoFactor: SecuritySettings_RequireTwoFactor.NONE });
    expect(settings?.billing).to.include({ taxRatePercent: 0, terminateDays: 14 });
    expect(settings?.servers).to.include({ consoleHistoryLines: 150 });
  });

  it('have the address of the panel from its configuration until somebody sets one', async () => {
    const configured = await startTestAdmin({ panelUrl: 'https://games.example:8443' });
    try {
      const options = { actorToken: configured.tokenOf(userActor(['settings.view', 'settings.update'])) };
      const url = async () =>
        (await configured.settings.getSettings(GetSettingsRequest.create(), options)).settings?.general?.url;
      expect(await url()).to.equal('https://games.example:8443');
      await configured.settings.updateSettings({ settings: { general: { name: 'Mine' } } as Settings }, options);
      expect(await url()).to.equal('https://games.example:8443');
      await configured.settings.updateSettings(
        { settings: { general: { url: 'https://b.example' } } as Settings },
        options,
      );
      expect(await url()).to.equal('https://b.example');
    } finally {
      await configured.stop();
    }
  });

  it('change where they are given and nowhere else', async () => {
    const before = await get();
    const answer = await update({
      ...general({ name: 'Mine', registration: true }),
      ...mail({ encryption: MailSettings_Encryption.TLS, port: 465 }),
      billing: BillingSettings.create({ taxRatePercent: 20.25 }),
    });
    expect(answer).to.deep.equal(await get());
    expect(answer).to.deep.equal({
      ...before,
      general: { ...before?.general, name: 'Mine', registration: true },
      mail: { ...before?.mail, encryption: MailSettings_Encryption.TLS, port: 465 },
      billing: { ...before?.billing, taxRatePercent: 20.25 },
    });
  });

  it('can be set to nothing, false and zero', async () => {
    await update({ ...general({ registration: true }), ...mail({ username: 'me' }) });
    await update({
      ...general({ registration: false }),
      ...mail({ username: '' }),
      servers: ServerSettings.create({ consoleHistoryLines: 0 }),
    });
    const settings = await get();
    expect(settings?.general?.registration).to.equal(false);
    expect(settings?.mail?.username).to.equal('');
    expect(settings?.servers?.consoleHistoryLines).to.equal(0);
  });

  it('stay whole when one of the given ones is broken, and the answer names it', async () => {
    const error = await failureOf(update({ ...general({ name: 'Mine' }), ...mail({ fromAddress: 'nobody' }) }));
    expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys('mail.from_address');
    expect((await get())?.general?.name).not.to.equal('Mine');
  });

  it('do not take an enum value without a meaning', async () => {
    const error = await failureOf(update(mail({ driver: MailSettings_Driver.UNSPECIFIED })));
    expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys('mail.driver');
  });

  it('both keep what two administrators change at the same time, from the very first write on', async () => {
    const replica = await startTestAdmin({ mongoUrl: admin.mongoUrl });
    const changes: Partial<Settings>[] = [
      general({ name: 'Mine' }),
      general({ timezone: 'Europe/Berlin' }),
      general({ currency: 'USD' }),
      mail({ port: 25 }),
      mail({ fromName: 'Me' }),
      mail({ host: 'smtp.example.com' }),
      { billing: BillingSettings.create({ suspendDays: 3 }) },
      { servers: ServerSettings.create({ defaultDiskMb: 1 }) },
    ];
    await Promise.all(
      Array.from({ length: 48 }, async (_, i) =>
        (i % 2 ? admin : replica).settings.updateSettings(
          { settings: changes[i % changes.length] as Settings },
          as('settings.update'),
        ),
      ),
    );
    await replica.stop();
    const settings = await get();
    expect(settings?.general).to.include({ name: 'Mine', timezone: 'Europe/Berlin', currency: 'USD' });
    expect(settings?.mail).to.include({ port: 25, fromName: 'Me', host: 'smtp.example.com' });
    expect(settings?.billing).to.include({ suspendDays: 3 });
    expect(settings?.servers).to.include({ defaultDiskMb: 1 });
    expect(await admin.mongo.collection('settings').countDocuments()).to.equal(1);
  });

  it('never end in SMTP without a host, however two administrators race', async () => {
    for (let round = 0; round < 10; round += 1) {
      await update(mail({ driver: MailSettings_Driver.LOG, host: 'smtp.example.com' }));
      const results = await Promise.all([
        reasonOf(update(mail({ driver: MailSettings_Driver.SMTP }))),
        reasonOf(update(mail({ host: '' }))),
      ]);
      expect(results.toSorted()).to.deep.equal(['INVALID_FIELDS', 'none']);
    }
  });

  it('are seen by those who may, and changed by those who may', async () => {
    const anonymous = { actorToken: admin.tokenOf({ kind: 'anonymous', ip: '::1' }) };
    for (const [options, reason] of [
      [as(), 'PERMISSION_MISSING'],
      [as('servers.*', 'billing.view'), 'PERMISSION_MISSING'],
      [anonymous, 'USER_REQUIRED'],
    ] as const) {
      expect(await reasonOf(get(options))).to.equal(reason);
      expect(await reasonOf(update(general({ name: 'x' }), options))).to.equal(reason);
    }
    expect(await reasonOf(update(general({ name: 'x' }), as('settings.view')))).to.equal('PERMISSION_MISSING');
    expect(await reasonOf(get(as('settings.*')))).to.equal('none');
  });

  it('refuse before they look at what is given', async () => {
    expect(await reasonOf(update(mail({ port: 0 }), as('settings.view')))).to.equal('PERMISSION_MISSING');
  });

  describe('that are secret', () => {
    const password = 'correct horse battery';
    const stored = async () => JSON.stringify(await admin.mongo.collection('settings').find().toArray());
    const real = async () => (await admin.settings.getSettings(GetSettingsRequest.create())).settings?.mail?.password;

    it('are masked for people, in clear for services, and encrypted at rest', async () => {
      const answer = await update(mail({ password }));
      expect(answer?.mail?.password).to.equal('********');
      expect((await get())?.mail?.password).to.equal('********');
      expect(await real()).to.equal(password);
      expect(await stored()).not.to.include(password);
    });

    it('stay when their mask is written back, together with everything else', async () => {
      await update(mail({ password }));
      const whole = await get();
      await update({ ...whole, general: GeneralSettings.create({ ...whole?.general, name: 'Mine' }) });
      expect(await real()).to.equal(password);
      expect((await get())?.general?.name).to.equal('Mine');
    });

    it('can be replaced and taken away', async () => {
      await update(mail({ password }));
      await update(mail({ password: 'another' }));
      expect(await real()).to.equal('another');
      await update(mail({ password: '' }));
      expect(await real()).to.equal('');
      expect((await get())?.mail?.password).to.equal('');
    });

    it('are lost, and nothing else, when SERVICE_SECRET changes', async () => {
      await update({ ...mail({ password, username: 'me' }) });
      const other = await startTestAdmin({
        mongoUrl: admin.mongoUrl,
        serviceSecret: 'another-secret-of-at-least-32-characters',
      });
      const { settings } = await other.settings.getSettings(GetSettingsRequest.create());
      await other.stop();
      expect(settings?.mail).to.include({ username: 'me', password: '' });
    });
  });

  it('are served by a process that is ready when its database answers', async () => {
    expect((await fetch(`http://${admin.metrics}/readyz`)).status).to.equal(200);
  });
});
