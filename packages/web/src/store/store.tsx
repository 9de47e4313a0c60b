import type { Cart, Product } from '@panel/client';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { collect } from '../api/pages.js';
import { newKey, useChange, useData } from '../api/use-data.js';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Form } from '../ui/form.js';
import { Card, Facts, Page } from '../ui/page.js';
import { Empty, Loaded, Note } from '../ui/states.js';
import { Table } from '../ui/table.js';
import { useToasts } from '../ui/toasts.js';
import { transferPath } from './invoices.js';
import { usePaymentMethods } from './payment-methods.js';
import { useTaxFacts } from './tax.js';

export function Store() {
  const { t } = useI18n();
  const [ordered, setOrdered] = useState<Product | null>(null);
  const products = useData(['store', 'products'], async (client) => collect(client.pages('/store/products')));
  const cart = useData(['store', 'cart'], async (client) => (await client.get('/store/cart')).data);
  return (
    <Page title={t('nav.store')}>
      <Loaded query={cart} rows={1}>
        {(data) => (data.items.length > 0 ? <CartCard cart={data} /> : null)}
      </Loaded>
      <Loaded query={products}>
        {(list) =>
          list.length === 0 ? (
            <Empty text={t('store.none')} />
          ) : (
            <ul className="cards">
              {list.map((product) => (
                <ProductCard key={product.id} product={product} onOrder={() => setOrdered(product)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {ordered ? <OrderDialog product={ordered} onClose={() => setOrdered(null)} /> : null}
    </Page>
  );
}

function ProductCard({ product, onOrder }: { readonly product: Product; readonly onOrder: () => void }) {
  const { t, money, bytes, number } = useI18n();
  const { name, description, plans, server, stock } = product;
  const [first] = plans;
  const mb = 1024 ** 2;
  return (
    <li className="card">
      <h2 dir="auto">{name}</h2>
      <p className="prose">{description}</p>
      {server ? (
        <Facts
          facts={[
            [t('resource.memory'), bytes(server.memory * mb)],
            [t('resource.disk'), server.disk === 0 ? t('limit.none') : bytes(server.disk * mb)],
            [t('resource.cpu'), server.cpu === 0 ? t('limit.none') : `${number(server.cpu)} %`],
          ]}
        />
      ) : null}
      {first ? (
        <p>
          <strong>{money(first.price)}</strong> <span className="faint">{first.name}</span>
        </p>
      ) : null}
      <Button kind="primary" why={stock === 0 && t('store.sold-out')} onClick={onOrder}>
        {t('store.order')}
      </Button>
    </li>
  );
}

function OrderDialog({ product, onClose }: { readonly product: Product; readonly onClose: () => void }) {
  const { t, money } = useI18n();
  const [key] = useState(newKey);
  const add = useChange(
    async (client, { plan_id, quantity, server_name }: { plan_id: string; quantity: number; server_name: string }) =>
      client.post('/store/cart', {
        body: { product_id: product.id, plan_id, quantity, config: { server_name } },
        idempotencyKey: key,
      }),
    [['store', 'cart']],
  );
  return (
    <FormDialog
      title={product.name}
      action={t('store.to-cart')}
      onClose={onClose}
      fields={[
        {
          name: 'plan_id',
          label: t('store.plan'),
          type: 'select',
          options: product.plans.map((plan) => ({ value: plan.id, label: `${plan.name} · ${money(plan.price)}` })),
        },
        { name: 'server_name', label: t('store.server-name'), value: product.name, isRequired: true },
        { name: 'quantity', label: t('store.quantity'), type: 'number', value: 1, min: 1, max: 20, isRequired: true },
      ]}
      onSubmit={async ({ plan_id, quantity, server_name }) =>
        add.mutateAsync({ plan_id: String(plan_id), quantity: Number(quantity), server_name: String(server_name) })
      }
    />
  );
}

function CartCard({ cart }: { readonly cart: Cart }) {
  const { t, money } = useI18n();
  const toasts = useToasts();
  const taxFacts = useTaxFacts();
  const [isPaying, setIsPaying] = useState(false);
  const stale = [['store', 'cart']];
  const remove = useChange(
    async (client, item_id: string) => client.delete('/store/cart/{item-id}', { params: { item_id } }),
    stale,
  );
  const apply = useChange(async (client, code: string) => client.post('/store/coupon', { body: { code } }), stale);
  const takeOff = useChange(async (client) => client.delete('/store/coupon'), stale);
  return (
    <Card title={t('store.cart')}>
      <Table
        label={t('store.cart')}
        items={cart.items}
        idOf={({ id }) => id}
        columns={[
          { label: t('store.product'), cell: (item) => `${item.product_name} · ${item.plan_name}`, isName: true },
          { label: t('store.quantity'), cell: ({ quantity }) => quantity, isNumber: true },
          { label: t('store.total'), cell: ({ subtotal }) => money(subtotal), isNumber: true },
        ]}
        actions={({ id }) => (
          <Button onClick={() => remove.mutate(id, { onError: toasts.showError })}>{t('action.remove')}</Button>
        )}
      />
      {cart.coupon === null ? (
        <Form
          fields={[{ name: 'code', label: t('store.coupon'), isRequired: true }]}
          action={t('store.apply')}
          onSubmit={async ({ code }) => apply.mutateAsync(String(code))}
        />
      ) : (
        <Note>
          <p>{t('store.coupon-applied', { code: cart.coupon })}</p>
          <Button onClick={() => takeOff.mutate(undefined, { onError: toasts.showError })}>{t('action.remove')}</Button>
        </Note>
      )}
      <Facts
        facts={[
          [t('store.subtotal'), money(cart.subtotal)],
          [t('store.discount'), money(cart.discount)],
          ...taxFacts(cart),
          [t('store.total'), <strong key="total">{money(cart.total)}</strong>],
        ]}
      />
      <div className="actions">
        <Button kind="primary" onClick={() => setIsPaying(true)}>
          {t('store.checkout')}
        </Button>
      </div>
      {isPaying ? <Checkout cart={cart} onClose={() => setIsPaying(false)} /> : null}
    </Card>
  );
}

function Checkout({ cart, onClose }: { readonly cart: Cart; readonly onClose: () => void }) {
  const { t, money } = useI18n();
  const methods = usePaymentMethods();
  const [, navigate] = useLocation();
  const [key] = useState(newKey);
  const pay = useChange(
    async (client, payment_method: string) =>
      (
        await client.post('/store/checkout', {
          body: { payment_method, return_url: `${location.origin}/billing` },
          idempotencyKey: key,
        })
      ).data,
    [['store'], ['billing'], ['servers']],
  );
  return (
    <FormDialog
      isLoading={methods.isLoading}
      title={t('store.checkout')}
      action={t('store.pay', { total: money(cart.total) })}
      onClose={onClose}
      fields={[methods.field]}
      onSubmit={async ({ payment_method }) => {
        const { payment_url, invoice } = await pay.mutateAsync(String(payment_method));
        if (payment_method === 'manual' && invoice.status === 'unpaid') navigate(transferPath(invoice.id));
        else if (payment_url === null) navigate('/billing/services');
        else location.assign(payment_url);
      }}
    >
      <p className="faint">
        {t('store.checkout-text')} <Link to="/billing/credits">{t('billing.credits')}</Link>
      </p>
    </FormDialog>
  );
}
