erlang*:'Elixir.Shop.Cart':total:function-entry
{
	trace(probefunc);
}
