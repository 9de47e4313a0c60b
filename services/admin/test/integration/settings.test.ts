import { isAppError } from '@panel/kit/errors';
import {
  BillingSettings,
  BillingSettings_TaxScheme,
  BillingSettings_VatCheck,
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
    (await admin.settings.getSettings(GetSettingsRequest.create({ withLogo: true }), options)).settings;
  const update = async (settings: Partial<Settings>, options = as('settings.update')) =>
    (await admin.settings.updateSettings({ settings: settings as Settings }, options)).settings;
  const general = (value: Partial<GeneralSettings>) => ({ general: GeneralSettings.create(value) });
  const mail = (value: Partial<MailSettings>) => ({ mail: MailSettings.create(value) });

  it('returns initial values for every setting', async () => {
    const settings = await get();
    expect(settings?.general).to.include({ timezone: 'UTC', currency: 'EUR', registration: false });
    expect(settings?.mail).to.include({ driver: MailSettings_Driver.LOG, port: 587, password: '' });
    expect(settings?.security).to.include({ requireTwoFactor: SecuritySettings_RequireTwoFactor.NONE });
    expect(settings?.billing).to.include({ taxRatePercent: 0, terminateDays: 14 });
    expect(settings?.servers).to.include({ consoleHistoryLines: 150 });
  });

  it('keeps what electronic invoices need while they are on', async () => {
    const billing = (value: Partial<BillingSettings>) => ({ billing: BillingSettings.create(value) });
    const seller = {
      sellerName: 'Panel GmbH',
      sellerAddress: 'Main Street 1',
      sellerPostcode: '10115',
      sellerCity: 'Berlin',
      sellerCountry: 'DE',
      sellerVatNumber: 'DE136695976',
    };
    expect(await failureOf(update(billing({ eInvoice: true }))))
      .to.have.nested.property('metadata.fields')
      .with.all.keys(
        ...['name', 'address', 'postcode', 'city', 'country', 'vat_number'].map((name) => `billing.seller_${name}`),
      );
    expect((await update(billing({ eInvoice: true, ...seller })))?.billing).to.include({ eInvoice: true, ...seller });
    for (const field of Object.keys(seller))
      expect(await reasonOf(update(billing({ [field]: '' }))), field).to.equal('INVALID_FIELDS');
    await update(billing({ sellerVatNumber: '', sellerTaxNumber: '21/815/08150' }));
    expect(await reasonOf(update(billing({ sellerTaxNumber: '' })))).to.equal('INVALID_FIELDS');
    await update(billing({ eInvoice: false, ...Object.fromEntries(Object.keys(seller).map((field) => [field, ''])) }));
  });

  it('changes nothing when the tax scheme eu lacks what it needs, and names it', async () => {
    const eu = { taxScheme: BillingSettings_TaxScheme.EU, taxRatePercent: 19 };
    const update19 = async (more: Partial<BillingSettings>) =>
      update({ billing: BillingSettings.create({ ...eu, ...more }) });
    expect(await failureOf(update19({ sellerCountry: 'CH' })))
      .to.have.nested.property('metadata.fields')
      .with.all.keys('billing.seller_country', 'billing.seller_vat_number');
    const before = await get();
    expect(before?.billing).to.include({ taxScheme: BillingSettings_TaxScheme.FIXED, taxRatePercent: 0 });
    const seller = { sellerCountry: 'DE', sellerVatNumber: 'DE136695976', vatCheck: BillingSettings_VatCheck.ACCEPT };
    expect((await update19(seller))?.billing).to.include({ ...eu, ...seller, oss: false });
    // each alone would break the scheme
    expect(await reasonOf(update({ billing: BillingSettings.create({ sellerVatNumber: '' }) }))).to.equal(
      'INVALID_FIELDS',
    );
    expect(await reasonOf(update({ billing: BillingSettings.create({ oss: true }) }))).to.equal('INVALID_FIELDS');
    expect((await get())?.billing).to.include({ ...eu, ...seller, oss: false });
  });

  it('leaves the image of the brand out unless it is asked for', async () => {
    const image = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64')}`;
    const brand = { name: '', primaryColour: '#112233', accentColour: '', logo: image };
    expect((await update({ brand }))?.brand).to.deep.equal(brand);
    expect((await get())?.brand?.logo).to.equal(image);
    const options = as('settings.view');
    const { settings } = await admin.settings.getSettings(GetSettingsRequest.create(), options);
    expect(settings?.brand).to.include({ primaryColour: '#112233' });
    expect(settings?.brand?.logo).to.equal(undefined);
    await update({ brand: { ...brand, primaryColour: '', logo: '' } });
  });

  it('uses the configured address of the panel until one is set', async () => {
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

  it('changes only the given settings', async () => {
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

  it('accepts empty, false and zero values', async () => {
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

  it('changes nothing when one value is invalid and names it', async () => {
    const error = await failureOf(update({ ...general({ name: 'Mine' }), ...mail({ fromAddress: 'nobody' }) }));
    expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys('mail.from_address');
    expect((await get())?.general?.name).not.to.equal('Mine');
  });

  it('refuses an unknown enum value', async () => {
    const error = await failureOf(update(mail({ driver: MailSettings_Driver.UNSPECIFIED })));
    expect(isAppError(error, 'INVALID_FIELDS') && error.metadata.fields).to.have.all.keys('mail.driver');
  });

  it('keeps concurrent changes of different settings', async () => {
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

  it('never stores SMTP without a host under concurrent changes', async () => {
    for (let round = 0; round < 10; round += 1) {
      await update(mail({ driver: MailSettings_Driver.LOG, host: 'smtp.example.com' }));
      const results = await Promise.all([
        reasonOf(update(mail({ driver: MailSettings_Driver.SMTP }))),
        reasonOf(update(mail({ host: '' }))),
      ]);
      expect(results.toSorted()).to.deep.equal(['INVALID_FIELDS', 'none']);
    }
  });

  it('requires the permissions settings.view and settings.update', async () => {
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

  it('refuses callers without permission before validation', async () => {
    expect(await reasonOf(update(mail({ port: 0 }), as('settings.view')))).to.equal('PERMISSION_MISSING');
  });

  describe('that are secret', () => {
    const password = 'correct horse battery';
    const stored = async () => JSON.stringify(await admin.mongo.collection('settings').find().toArray());
    const real = async () => (await admin.settings.getSettings(GetSettingsRequest.create())).settings?.mail?.password;

    it('masks secrets for users, opens them for services and stores them sealed', async () => {
      const answer = await update(mail({ password }));
      expect(answer?.mail?.password).to.equal('********');
      expect((await get())?.mail?.password).to.equal('********');
      expect(await real()).to.equal(password);
      expect(await stored()).not.to.include(password);
    });

    it('keeps a secret when its mask is written back', async () => {
      await update(mail({ password }));
      const integer = await get();
      await update({ ...integer, general: GeneralSettings.create({ ...integer?.general, name: 'Mine' }) });
      expect(await real()).to.equal(password);
      expect((await get())?.general?.name).to.equal('Mine');
    });

    it('replaces and clears a secret', async () => {
      await update(mail({ password }));
      await update(mail({ password: 'another' }));
      expect(await real()).to.equal('another');
      await update(mail({ password: '' }));
      expect(await real()).to.equal('');
      expect((await get())?.mail?.password).to.equal('');
    });

    it('loses only secrets when SERVICE_SECRET changes', async () => {
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

  it('reports ready when the database answers', async () => {
    expect((await fetch(`http://${admin.metrics}/readyz`)).status).to.equal(200);
  });
});
