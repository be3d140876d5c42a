/** A list to choose from, over everything else: searched by typing, walked by arrows, left by Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { boundsOf, isWithin } from '../advice.ts';
import { coinsOf, fiatsOf, search } from '../menus.ts';
import { type Menu, readAmount, unitsOf } from '../state.ts';
import { STATES } from '../states.ts';
import type { TextKey } from '../texts.ts';
import { Glyph, Icon } from './parts.tsx';
import { focusOn, isComposing, methodName, type View } from './view.ts';

const TITLES: Record<Menu, TextKey> = {
  fiat: 'chooseCurrency',
  crypto: 'chooseCrypto',
  method: 'chooseMethod',
  country: 'chooseCountry',
  region: 'chooseState',
};

export function MenuDialog({ view, menu }: { view: View; menu: Menu }) {
  const { state, say, dispatch } = view;
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [network, setNetwork] = useState('');
  const close = () => dispatch({ type: 'menu', menu: undefined });
  useEffect(() => {
    const opener = document.activeElement as HTMLElement;
    dialog.current?.showModal();
    // What was pressed may be gone with the offers of another place.
    return () => focusOn(opener, '.country');
  }, []);
  const title = menu === 'method' && state.side === 'sell' ? 'choosePayout' : TITLES[menu];
  const rows = rowsOf(view, menu, { query, network });
  const isSearched = menu !== 'method';
  return (
    <dialog
      ref={dialog}
      class="menu"
      aria-labelledby="menu-title"
      onCancel={close}
      onClose={close}
      onKeyDown={walk}
    >
      <header>
        <h2 id="menu-title">{say(title)}</h2>
        <button class="round" type="button" aria-label={say('close')} onClick={close}>
          <Glyph path="M4 4l8 8M12 4l-8 8" size={16} />
        </button>
      </header>
      {menu === 'country' && <p class="quiet">{say('countryLead')}</p>}
      {menu === 'region' && <p class="quiet">{say('stateLead')}</p>}
      {isSearched && (
        <input
          class="search"
          type="search"
          aria-label={say(menu === 'crypto' ? 'searchCrypto' : 'search')}
          placeholder={say(menu === 'crypto' ? 'searchCrypto' : 'search')}
          autocomplete="off"
          autofocus
          value={query}
          onInput={event => setQuery(event.currentTarget.value)}
        />
      )}
      {menu === 'crypto' && <Networks view={view} chosen={network} onChoose={setNetwork} />}
      <MenuBody view={view} menu={menu} rows={rows} query={query} />
    </dialog>
  );
}

interface Row {
  key: string;
  isChosen: boolean;
  content: ComponentChildren;
  onChoose(): void;
}

function MenuBody({
  view,
  menu,
  rows,
  query,
}: {
  view: View;
  menu: Menu;
  rows: Row[] | undefined;
  query: string;
}) {
  const { state, say, dispatch } = view;
  const isFailed = state.lists.failed.includes(menu === 'fiat' ? 'crypto' : menu);
  if (!rows && isFailed)
    return (
      <p class="quiet" role="alert">
        {say('loadFailed')}{' '}
        <button class="take" type="button" onClick={() => dispatch({ type: 'menu', menu })}>
          {say('tryAgain')}
        </button>
      </p>
    );
  if (!rows) return <p class="quiet">{say('loading')}</p>;
  if (rows.length === 0)
    return (
      <p class="quiet" role="status">
        {say('nothingFound', { query })}
        <br />
        {menu === 'country' && say('countryUnlisted')}
      </p>
    );
  return (
    <ul class="rows">
      {rows.map(({ key, isChosen, content, onChoose }) => (
        <li key={key}>
          <button type="button" data-entry={key} aria-current={isChosen} onClick={onChoose}>
            {content}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Up and down lead through the list, from the search on; within the networks they choose one. */
function walk(event: KeyboardEvent & { currentTarget: HTMLDialogElement }): void {
  if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || isComposing(event)) return;
  if (event.target instanceof HTMLSelectElement) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('.search, .rows button')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function Networks({
  view,
  chosen,
  onChoose,
}: {
  view: View;
  chosen: string;
  onChoose(network: string): void;
}) {
  const { state, say } = view;
  const networks = new Map((coinsOf(state) ?? []).map(one => [one.network, one.networkDisplayName]));
  if (networks.size < 2) return null;
  return (
    <select
      class="networks"
      aria-label={say('network')}
      value={chosen}
      onChange={event => onChoose(event.currentTarget.value)}
    >
      <option value="">{say('allNetworks')}</option>
      {[...networks].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function rowsOf(
  view: View,
  menu: Menu,
  { query, network }: { query: string; network: string },
): Row[] | undefined {
  if (menu === 'crypto') return coinRows(view, query, network);
  if (menu === 'fiat') return fiatRows(view, query);
  if (menu === 'region') return stateRows(view, query);
  return menu === 'country' ? countryRows(view, query) : methodRows(view);
}

function coinRows(view: View, query: string, network: string): Row[] | undefined {
  const { state, say, dispatch } = view;
  const coins = coinsOf(state)?.filter(one => network === '' || one.network === network);
  const found = coins && search(coins, query, one => [one.code, one.name, one.networkDisplayName]);
  return found?.map(coin => ({
    key: coin.id,
    isChosen: coin.id === state.pair?.crypto.id,
    onChoose: () => dispatch({ type: 'crypto', crypto: coin }),
    content: (
      <>
        <Icon src={coin.icon} size={32} />
        <span class="who">
          <b>{coin.code}</b> <span class="quiet">{coin.name}</span>
        </span>
        <small>{say('onNetwork', { network: coin.networkDisplayName })}</small>
      </>
    ),
  }));
}

function fiatRows({ state, dispatch }: View, query: string): Row[] | undefined {
  const fiats = fiatsOf(state);
  const names = new Intl.DisplayNames(state.setup.language, { type: 'currency' });
  const nameOf = (code: string, name: string) => names.of(code) ?? name;
  const found = fiats && search(fiats, query, one => [one.code, one.name, nameOf(one.code, one.name)]);
  return found?.map(fiat => ({
    key: fiat.id,
    isChosen: fiat.id === state.pair?.fiat.id,
    onChoose: () => dispatch({ type: 'fiat', fiat }),
    content: (
      <>
        <Icon src={fiat.icon} size={32} />
        <span class="who">
          <b>{fiat.code}</b> <span class="quiet">{nameOf(fiat.code, fiat.name)}</span>
        </span>
      </>
    ),
  }));
}

function countryRows({ state, dispatch }: View, query: string): Row[] | undefined {
  const { countries } = state.lists;
  const found = countries && search(countries, query, ({ code, name }) => [code, name]);
  return found?.map(({ code, name }) => ({
    key: code,
    isChosen: code === state.country,
    onChoose: () => dispatch({ type: 'country', country: code }),
    content: <span class="who">{name}</span>,
  }));
}

function stateRows({ state, dispatch }: View, query: string): Row[] {
  return search(Object.entries(STATES), query, words => words).map(([code, name]) => ({
    key: code,
    isChosen: code === state.region,
    onChoose: () => dispatch({ type: 'region', region: code }),
    content: <span class="who">{name}</span>,
  }));
}

function methodRows(view: View): Row[] | undefined {
  const { state, dispatch } = view;
  return state.methods?.map(type => ({
    key: type.paymentTypeId,
    isChosen: type.paymentTypeId === state.method,
    onChoose: () => dispatch({ type: 'method', method: type.paymentTypeId }),
    content: (
      <>
        <Icon src={type.icon} size={32} />
        <span class="who">
          <b>{methodName(view, type.paymentTypeId)}</b>
        </span>
        <small>{limitsOf(view, type)}</small>
      </>
    ),
  }));
}

function limitsOf({ state, say, figures }: View, type: Parameters<typeof boundsOf>[0]): string {
  const [pays] = unitsOf(state) ?? [];
  const { min, max } = boundsOf(type, state);
  const typed = readAmount(state);
  if (!pays) return '';
  const sum = (amount: string) => figures.sum(amount, pays);
  const range =
    min !== undefined && max !== undefined
      ? say('limits', { min: sum(min), max: sum(max) })
      : min !== undefined
        ? say('limitFrom', { min: sum(min) })
        : max !== undefined
          ? say('limitUpTo', { max: sum(max) })
          : '';
  const isOut = 'amount' in typed && state.field === 'source' && !isWithin(typed.amount, { min, max });
  return isOut ? `${range} · ${say('outOfLimits')}` : range;
}
