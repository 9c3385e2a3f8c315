"""Control of a whole upper body: hundreds of line muscles on a skeleton with a closed rib cage."""
