// Follows a game that is being recorded: server-sent events where they are to be had, else asking now and then.

const PAUSE = 2000;

export function follow(game, seen, { onNews, onLost }) {
  let newest = seen;
  let stopped = false;
  let source = null;
  const news = (version) => {
    if (version > newest) {
      newest = version;
      onNews(version);
    }
  };
  const stream = () => {
    source = new EventSource(`/v1/games/${game}/stream?after=${newest}`);
    source.addEventListener("version", (event) => news(Number(JSON.parse(event.data).version)));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) {
        source = null;
        if (!stopped) setTimeout(ask, PAUSE);
      } else {
        onLost();
      }
    };
  };
  const ask = async () => {
    if (stopped) return;
    try {
      const answer = await fetch(`/v1/games/${game}`, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        const found = await answer.json();
        news(found.version);
        if (found.status === "ended") return;
      }
    } catch {
      onLost();
    }
    setTimeout(ask, PAUSE);
  };
  stream();
  return () => {
    stopped = true;
    source?.close();
  };
}
