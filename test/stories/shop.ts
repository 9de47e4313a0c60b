import type { Product } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import type { Scene } from './scene.js';

export interface Shop {
  readonly small: Product;
  readonly large: Product;
  readonly coupon: string;
}

/** Days of the settings, as the stories count with them. */
export const shopDays = { invoiceBefore: 7, suspend: 3, terminate: 14 };

/** Two sizes of the demo game, taxed at 19 %, and a coupon of a fifth for the first three invoices. */
export async function openShop({ panel, customer }: Scene): Promise<Shop> {
  const { admin } = panel;
  await admin.put('/admin/settings', {
    body: {
      billing: {
        tax_rate: 19,
        tax_inclusive: false,
        invoice_prefix: 'R-',
        invoice_days_before: shopDays.invoiceBefore,
        suspend_days: shopDays.suspend,
        terminate_days: shopDays.terminate,
        bank_account_holder: 'Shop',
        bank_iban: 'DE02 1203 0000 0000 2020 51',
        bank_bic: 'BYLADEM1001',
      },
    },
  });
  const demo = await waitUntil('the demo shop', async () => {
    const { data: products } = await admin.get('/store/products');
    return products.find(({ slug, server }) => slug === 'lantern-caverns' && server !== null);
  });
  const server = demo.server ?? { egg_id: '', memory: 0, cpu: 0, disk: 0 };
  const sell = async (name: string, memory: number, price: number) => {
    const body = { name, price, server: { ...server, memory } };
    return (await admin.post('/admin/billing/products', { body })).data;
  };
  const [small, large] = [await sell('Small cavern', 256, 500), await sell('Large cavern', 384, 900)];
  await admin.put('/admin/billing/products/{id}', {
    params: { id: small.id },
    body: { upgrade_product_ids: [large.id] },
  });
  const coupon = 'WELCOME';
  await admin.post('/admin/billing/coupons', { body: { code: coupon, type: 'percent', value: 20, recurring: 3 } });
  // Settings reach billing within seconds.
  await customer.panel.post('/store/cart', { body: { product_id: small.id } });
  const { id } = await waitUntil('the tax of the shop', async () => {
    const { data: cart } = await customer.panel.get('/store/cart');
    return cart.taxes.some(({ rate }) => rate === 19) && cart.items[0];
  });
  await customer.panel.delete('/store/cart/{item-id}', { params: { item_id: id } });
  return { small, large, coupon };
}
